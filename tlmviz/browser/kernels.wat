;; The arithmetic of the engine in 4 x 32 bits at a time (WebAssembly SIMD). Pointers, strides and sizes are in bytes where
;; a name ends in _b, else they count numbers. All numbers are float32.
;;
;; `npm run kernels` compiles this file into kernel_bytes.js, twice: as it stands, with fused multiply-add (relaxed SIMD), and
;; with every relaxed_madd as a product and a sum, for engines without it.
(module
  (memory (export "memory") 1)

  ;; exp(x) in four lanes, with a relative error of 2e-7: x = n ln 2 + r, exp(r) as a polynomial, 2^n by the exponent's bits.
  ;; Below -40 it is an exact 0, beside a row's largest 1 far below its rounding: products with denormals cost up to 37 times.
  (func $exp (param $x v128) (result v128)
    (local $n v128) (local $r v128) (local $p v128)
    (local.set $p (v128.const f32x4 88 88 88 88))
    (local.set $r (f32x4.pmin (local.get $p) (local.get $x)))
    (local.set $n (f32x4.nearest (f32x4.mul (local.get $r) (v128.const f32x4 1.44269504 1.44269504 1.44269504 1.44269504))))
    ;; ln 2 in two parts, the first of few bits, so that n times it is exact (Cody and Waite)
    (local.set $r (f32x4.sub (local.get $r) (f32x4.mul (local.get $n) (v128.const f32x4 0.693359375 0.693359375 0.693359375 0.693359375))))
    (local.set $r (f32x4.add (local.get $r) (f32x4.mul (local.get $n) (v128.const f32x4 2.12194440e-4 2.12194440e-4 2.12194440e-4 2.12194440e-4))))
    ;; exp(r) = 1 + r + r^2 q(r), q the polynomial of Cephes' expf
    (local.set $p (v128.const f32x4 1.9875691500e-4 1.9875691500e-4 1.9875691500e-4 1.9875691500e-4))
    (local.set $p (f32x4.add (f32x4.mul (local.get $p) (local.get $r)) (v128.const f32x4 1.3981999507e-3 1.3981999507e-3 1.3981999507e-3 1.3981999507e-3)))
    (local.set $p (f32x4.add (f32x4.mul (local.get $p) (local.get $r)) (v128.const f32x4 8.3334519073e-3 8.3334519073e-3 8.3334519073e-3 8.3334519073e-3)))
    (local.set $p (f32x4.add (f32x4.mul (local.get $p) (local.get $r)) (v128.const f32x4 4.1665795894e-2 4.1665795894e-2 4.1665795894e-2 4.1665795894e-2)))
    (local.set $p (f32x4.add (f32x4.mul (local.get $p) (local.get $r)) (v128.const f32x4 1.6666665459e-1 1.6666665459e-1 1.6666665459e-1 1.6666665459e-1)))
    (local.set $p (f32x4.add (f32x4.mul (local.get $p) (local.get $r)) (v128.const f32x4 5.0000001201e-1 5.0000001201e-1 5.0000001201e-1 5.0000001201e-1)))
    (local.set $p (f32x4.add (f32x4.mul (local.get $p) (f32x4.mul (local.get $r) (local.get $r))) (local.get $r)))
    (local.set $p (f32x4.add (local.get $p) (v128.const f32x4 1 1 1 1)))
    (v128.and
      (f32x4.gt (local.get $x) (v128.const f32x4 -40 -40 -40 -40))
      (f32x4.mul (local.get $p)
        (i32x4.shl (i32x4.add (i32x4.trunc_sat_f32x4_s (local.get $n)) (v128.const i32x4 127 127 127 127)) (i32.const 23)))))

  ;; y[T, N] = x[T, K] w[K, N], N a multiple of 8. w lies in panels of 8 columns, each [K, 8], panel_b bytes apart; the rows
  ;; of x are x_b and those of y are y_b bytes apart. Four rows by eight columns stay in registers while k runs.
  (func (export "matmul")
    (param $x i32) (param $x_b i32) (param $w i32) (param $panel_b i32) (param $y i32) (param $y_b i32)
    (param $T i32) (param $K i32) (param $N i32)
    (local $t i32) (local $k i32) (local $p i32) (local $out i32)
    (local $x0 i32) (local $x1 i32) (local $x2 i32) (local $x3 i32)
    (local $w0 v128) (local $w1 v128) (local $s v128)
    (local $a00 v128) (local $a01 v128) (local $a10 v128) (local $a11 v128)
    (local $a20 v128) (local $a21 v128) (local $a30 v128) (local $a31 v128)
    (loop $panels
      (local.set $t (local.get $T))
      (local.set $x0 (local.get $x))
      (local.set $out (local.get $y))
      (block $four_done
        (loop $four
          (br_if $four_done (i32.lt_s (local.get $t) (i32.const 4)))
          (local.set $x1 (i32.add (local.get $x0) (local.get $x_b)))
          (local.set $x2 (i32.add (local.get $x1) (local.get $x_b)))
          (local.set $x3 (i32.add (local.get $x2) (local.get $x_b)))
          (local.set $a00 (v128.const i32x4 0 0 0 0)) (local.set $a01 (v128.const i32x4 0 0 0 0))
          (local.set $a10 (v128.const i32x4 0 0 0 0)) (local.set $a11 (v128.const i32x4 0 0 0 0))
          (local.set $a20 (v128.const i32x4 0 0 0 0)) (local.set $a21 (v128.const i32x4 0 0 0 0))
          (local.set $a30 (v128.const i32x4 0 0 0 0)) (local.set $a31 (v128.const i32x4 0 0 0 0))
          (local.set $p (local.get $w))
          (local.set $k (local.get $K))
          (loop $each
            (local.set $w0 (v128.load (local.get $p)))
            (local.set $w1 (v128.load offset=16 (local.get $p)))
            (local.set $s (v128.load32_splat (local.get $x0)))
            (local.set $a00 (f32x4.relaxed_madd (local.get $s) (local.get $w0) (local.get $a00)))
            (local.set $a01 (f32x4.relaxed_madd (local.get $s) (local.get $w1) (local.get $a01)))
            (local.set $s (v128.load32_splat (local.get $x1)))
            (local.set $a10 (f32x4.relaxed_madd (local.get $s) (local.get $w0) (local.get $a10)))
            (local.set $a11 (f32x4.relaxed_madd (local.get $s) (local.get $w1) (local.get $a11)))
            (local.set $s (v128.load32_splat (local.get $x2)))
            (local.set $a20 (f32x4.relaxed_madd (local.get $s) (local.get $w0) (local.get $a20)))
            (local.set $a21 (f32x4.relaxed_madd (local.get $s) (local.get $w1) (local.get $a21)))
            (local.set $s (v128.load32_splat (local.get $x3)))
            (local.set $a30 (f32x4.relaxed_madd (local.get $s) (local.get $w0) (local.get $a30)))
            (local.set $a31 (f32x4.relaxed_madd (local.get $s) (local.get $w1) (local.get $a31)))
            (local.set $p (i32.add (local.get $p) (i32.const 32)))
            (local.set $x0 (i32.add (local.get $x0) (i32.const 4)))
            (local.set $x1 (i32.add (local.get $x1) (i32.const 4)))
            (local.set $x2 (i32.add (local.get $x2) (i32.const 4)))
            (local.set $x3 (i32.add (local.get $x3) (i32.const 4)))
            (br_if $each (local.tee $k (i32.sub (local.get $k) (i32.const 1)))))
          (v128.store (local.get $out) (local.get $a00)) (v128.store offset=16 (local.get $out) (local.get $a01))
          (local.set $out (i32.add (local.get $out) (local.get $y_b)))
          (v128.store (local.get $out) (local.get $a10)) (v128.store offset=16 (local.get $out) (local.get $a11))
          (local.set $out (i32.add (local.get $out) (local.get $y_b)))
          (v128.store (local.get $out) (local.get $a20)) (v128.store offset=16 (local.get $out) (local.get $a21))
          (local.set $out (i32.add (local.get $out) (local.get $y_b)))
          (v128.store (local.get $out) (local.get $a30)) (v128.store offset=16 (local.get $out) (local.get $a31))
          (local.set $out (i32.add (local.get $out) (local.get $y_b)))
          ;; x3 stands behind its row's end: the next row, whatever the stride, is x_b - 4 K further
          (local.set $x0 (i32.add (local.get $x3) (i32.sub (local.get $x_b) (i32.shl (local.get $K) (i32.const 2)))))
          (local.set $t (i32.sub (local.get $t) (i32.const 4)))
          (br $four)))
      (block $one_done
        (loop $one
          (br_if $one_done (i32.eqz (local.get $t)))
          (local.set $a00 (v128.const i32x4 0 0 0 0)) (local.set $a01 (v128.const i32x4 0 0 0 0))
          (local.set $p (local.get $w))
          (local.set $k (local.get $K))
          (loop $each
            (local.set $s (v128.load32_splat (local.get $x0)))
            (local.set $a00 (f32x4.relaxed_madd (local.get $s) (v128.load (local.get $p)) (local.get $a00)))
            (local.set $a01 (f32x4.relaxed_madd (local.get $s) (v128.load offset=16 (local.get $p)) (local.get $a01)))
            (local.set $p (i32.add (local.get $p) (i32.const 32)))
            (local.set $x0 (i32.add (local.get $x0) (i32.const 4)))
            (br_if $each (local.tee $k (i32.sub (local.get $k) (i32.const 1)))))
          (v128.store (local.get $out) (local.get $a00)) (v128.store offset=16 (local.get $out) (local.get $a01))
          (local.set $out (i32.add (local.get $out) (local.get $y_b)))
          (local.set $x0 (i32.add (local.get $x0) (i32.sub (local.get $x_b) (i32.shl (local.get $K) (i32.const 2)))))
          (local.set $t (i32.sub (local.get $t) (i32.const 1)))
          (br $one)))
      (local.set $w (i32.add (local.get $w) (local.get $panel_b)))
      (local.set $y (i32.add (local.get $y) (i32.const 32)))
      (br_if $panels (i32.gt_s (local.tee $N (i32.sub (local.get $N) (i32.const 8))) (i32.const 0)))))

  ;; Each of T rows of n numbers (a multiple of 4) becomes exp(scale x - m), m the row's largest scaled number. m and the
  ;; row's sum are written at out, two numbers a row. scale is positive.
  (func (export "softmax") (param $x i32) (param $T i32) (param $n i32) (param $scale f32) (param $out i32)
    (local $p i32) (local $end i32) (local $m v128) (local $sum v128) (local $by v128) (local $most f32)
    (local.set $by (f32x4.splat (local.get $scale)))
    (loop $rows
      (local.set $end (i32.add (local.get $x) (i32.shl (local.get $n) (i32.const 2))))
      (local.set $p (local.get $x))
      (local.set $m (v128.const f32x4 -3e38 -3e38 -3e38 -3e38))
      (loop $largest
        (local.set $m (f32x4.pmax (local.get $m) (v128.load (local.get $p))))
        (br_if $largest (i32.lt_u (local.tee $p (i32.add (local.get $p) (i32.const 16))) (local.get $end))))
      (local.set $most (f32.mul (local.get $scale) (call $largest (local.get $m))))
      (local.set $m (f32x4.splat (local.get $most)))
      (local.set $sum (v128.const i32x4 0 0 0 0))
      (local.set $p (local.get $x))
      (loop $each
        (v128.store (local.get $p)
          (call $exp (f32x4.sub (f32x4.mul (v128.load (local.get $p)) (local.get $by)) (local.get $m))))
        (local.set $sum (f32x4.add (local.get $sum) (v128.load (local.get $p))))
        (br_if $each (i32.lt_u (local.tee $p (i32.add (local.get $p) (i32.const 16))) (local.get $end))))
      (f32.store (local.get $out) (local.get $most))
      (f32.store offset=4 (local.get $out) (call $sum (local.get $sum)))
      (local.set $out (i32.add (local.get $out) (i32.const 8)))
      (local.set $x (local.get $end))
      (br_if $rows (local.tee $T (i32.sub (local.get $T) (i32.const 1))))))

  ;; n numbers (a multiple of 4) become exp(scale x - shift).
  (func (export "exponentials") (param $x i32) (param $n i32) (param $scale f32) (param $shift f32)
    (local $end i32) (local $by v128) (local $off v128)
    (local.set $by (f32x4.splat (local.get $scale)))
    (local.set $off (f32x4.splat (local.get $shift)))
    (local.set $end (i32.add (local.get $x) (i32.shl (local.get $n) (i32.const 2))))
    (loop $each
      (v128.store (local.get $x)
        (call $exp (f32x4.sub (f32x4.mul (v128.load (local.get $x)) (local.get $by)) (local.get $off))))
      (br_if $each (i32.lt_u (local.tee $x (i32.add (local.get $x) (i32.const 16))) (local.get $end)))))

  ;; out = x / (1 + exp(-x)) of n numbers (a multiple of 4): SiLU.
  (func (export "silu") (param $x i32) (param $out i32) (param $n i32)
    (local $end i32) (local $v v128)
    (local.set $end (i32.add (local.get $x) (i32.shl (local.get $n) (i32.const 2))))
    (loop $each
      (local.set $v (v128.load (local.get $x)))
      (v128.store (local.get $out)
        (f32x4.div (local.get $v) (f32x4.add (v128.const f32x4 1 1 1 1) (call $exp (f32x4.neg (local.get $v))))))
      (local.set $out (i32.add (local.get $out) (i32.const 16)))
      (br_if $each (i32.lt_u (local.tee $x (i32.add (local.get $x) (i32.const 16))) (local.get $end)))))

  ;; Of n weights p (a multiple of 4, none negative) that the query at place i gives to the keys from 0 on: the sums of p ln p
  ;; and of p (i - j), and the largest p, written at out.
  (func (export "measures") (param $x i32) (param $n i32) (param $i f32) (param $out i32)
    (local $end i32) (local $p v128) (local $bits v128) (local $m v128) (local $y v128) (local $distance v128)
    (local $logs v128) (local $distances v128) (local $most v128)
    (local.set $distance (f32x4.sub (f32x4.splat (local.get $i)) (v128.const f32x4 0 1 2 3)))
    (local.set $end (i32.add (local.get $x) (i32.shl (local.get $n) (i32.const 2))))
    (loop $each
      (local.set $p (v128.load (local.get $x)))
      ;; ln p = e ln 2 + ln(1 + m), 1 + m from sqrt(1/2) to sqrt(2) by the exponent's bits, ln(1 + m) as Cephes' logf has it
      (local.set $bits (i32x4.add (local.get $p) (v128.const i32x4 0x004afb0d 0x004afb0d 0x004afb0d 0x004afb0d)))
      (local.set $m (f32x4.sub (i32x4.add (v128.and (local.get $bits) (v128.const i32x4 0x007fffff 0x007fffff 0x007fffff 0x007fffff)) (v128.const i32x4 0x3f3504f3 0x3f3504f3 0x3f3504f3 0x3f3504f3)) (v128.const f32x4 1 1 1 1)))
      (local.set $y (v128.const f32x4 7.0376836292e-2 7.0376836292e-2 7.0376836292e-2 7.0376836292e-2))
      (local.set $y (f32x4.add (f32x4.mul (local.get $y) (local.get $m)) (v128.const f32x4 -1.1514610310e-1 -1.1514610310e-1 -1.1514610310e-1 -1.1514610310e-1)))
      (local.set $y (f32x4.add (f32x4.mul (local.get $y) (local.get $m)) (v128.const f32x4 1.1676998740e-1 1.1676998740e-1 1.1676998740e-1 1.1676998740e-1)))
      (local.set $y (f32x4.add (f32x4.mul (local.get $y) (local.get $m)) (v128.const f32x4 -1.2420140846e-1 -1.2420140846e-1 -1.2420140846e-1 -1.2420140846e-1)))
      (local.set $y (f32x4.add (f32x4.mul (local.get $y) (local.get $m)) (v128.const f32x4 1.4249322787e-1 1.4249322787e-1 1.4249322787e-1 1.4249322787e-1)))
      (local.set $y (f32x4.add (f32x4.mul (local.get $y) (local.get $m)) (v128.const f32x4 -1.6668057665e-1 -1.6668057665e-1 -1.6668057665e-1 -1.6668057665e-1)))
      (local.set $y (f32x4.add (f32x4.mul (local.get $y) (local.get $m)) (v128.const f32x4 2.0000714765e-1 2.0000714765e-1 2.0000714765e-1 2.0000714765e-1)))
      (local.set $y (f32x4.add (f32x4.mul (local.get $y) (local.get $m)) (v128.const f32x4 -2.4999993993e-1 -2.4999993993e-1 -2.4999993993e-1 -2.4999993993e-1)))
      (local.set $y (f32x4.add (f32x4.mul (local.get $y) (local.get $m)) (v128.const f32x4 3.3333331174e-1 3.3333331174e-1 3.3333331174e-1 3.3333331174e-1)))
      (local.set $y (f32x4.sub (f32x4.mul (local.get $y) (local.get $m)) (v128.const f32x4 0.5 0.5 0.5 0.5)))
      (local.set $y (f32x4.add (f32x4.mul (local.get $y) (f32x4.mul (local.get $m) (local.get $m))) (local.get $m)))
      (local.set $y (f32x4.add (local.get $y) (f32x4.mul (v128.const f32x4 0.69314718 0.69314718 0.69314718 0.69314718)
        (f32x4.convert_i32x4_s (i32x4.sub (i32x4.shr_s (local.get $bits) (i32.const 23)) (v128.const i32x4 127 127 127 127))))))
      (local.set $logs (f32x4.add (local.get $logs) (f32x4.mul (local.get $p) (local.get $y))))
      (local.set $distances (f32x4.add (local.get $distances) (f32x4.mul (local.get $p) (local.get $distance))))
      (local.set $distance (f32x4.sub (local.get $distance) (v128.const f32x4 4 4 4 4)))
      (local.set $most (f32x4.pmax (local.get $most) (local.get $p)))
      (br_if $each (i32.lt_u (local.tee $x (i32.add (local.get $x) (i32.const 16))) (local.get $end))))
    (f32.store (local.get $out) (call $sum (local.get $logs)))
    (f32.store offset=4 (local.get $out) (call $sum (local.get $distances)))
    (f32.store offset=8 (local.get $out) (call $largest (local.get $most))))

  (func $sum (param $v v128) (result f32)
    (f32.add
      (f32.add (f32x4.extract_lane 0 (local.get $v)) (f32x4.extract_lane 1 (local.get $v)))
      (f32.add (f32x4.extract_lane 2 (local.get $v)) (f32x4.extract_lane 3 (local.get $v)))))

  (func $largest (param $v v128) (result f32)
    (f32.max
      (f32.max (f32x4.extract_lane 0 (local.get $v)) (f32x4.extract_lane 1 (local.get $v)))
      (f32.max (f32x4.extract_lane 2 (local.get $v)) (f32x4.extract_lane 3 (local.get $v))))))
