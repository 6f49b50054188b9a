;; The arithmetic of training in 4 x 32 bits at a time (WebAssembly SIMD). Pointers and strides are in bytes, where a stride's name
;; ends in _b; all else counts numbers, which are float32. Matrices have rows without gaps unless a stride is given.
;;
;; `npm run kernels` compiles this file into kernel_bytes.js, twice: as it stands, with fused multiply-add (relaxed SIMD), and
;; with every relaxed_madd as a product and a sum, for engines without it. It puts $exp of ../kernels.wat at the line EXP.
;;
;; WebAssembly cannot flush denormals, and a product with one takes up to a hundred times as long. What becomes too small to
;; matter is therefore made an exact 0 where it arises: softmax weights in $exp, their gradients and Adam's means by $flushed.
(module
  (memory (export "memory") 1)

  ;; EXP

  ;; x, with an exact 0 in lanes that are not above 1e-25 in size.
  (func $flushed (param $x v128) (result v128)
    (v128.and (local.get $x) (f32x4.gt (f32x4.abs (local.get $x)) (v128.const f32x4 1e-25 1e-25 1e-25 1e-25))))

  (func $sum (param $x v128) (result f32)
    (f32.add
      (f32.add (f32x4.extract_lane 0 (local.get $x)) (f32x4.extract_lane 1 (local.get $x)))
      (f32.add (f32x4.extract_lane 2 (local.get $x)) (f32x4.extract_lane 3 (local.get $x)))))

  ;; What $matmul leaves over: one row by four columns at a time.
  (func $narrow
    (param $a i32) (param $a_b i32) (param $k_b i32) (param $b i32) (param $b_b i32) (param $c i32) (param $c_b i32)
    (param $M i32) (param $K i32) (param $N i32) (param $add i32)
    (local $j i32) (local $k i32) (local $p i32) (local $q i32) (local $out i32) (local $s v128)
    (if (i32.or (i32.le_s (local.get $M) (i32.const 0)) (i32.le_s (local.get $N) (i32.const 0))) (then (return)))
    (loop $rows
      (local.set $j (i32.const 0))
      (loop $columns
        (local.set $p (local.get $a))
        (local.set $q (i32.add (local.get $b) (i32.shl (local.get $j) (i32.const 2))))
        (local.set $out (i32.add (local.get $c) (i32.shl (local.get $j) (i32.const 2))))
        (local.set $s (v128.const i32x4 0 0 0 0))
        (if (local.get $add) (then (local.set $s (v128.load (local.get $out)))))
        (local.set $k (local.get $K))
        (loop $each
          (local.set $s (f32x4.relaxed_madd (v128.load32_splat (local.get $p)) (v128.load (local.get $q)) (local.get $s)))
          (local.set $p (i32.add (local.get $p) (local.get $k_b)))
          (local.set $q (i32.add (local.get $q) (local.get $b_b)))
          (br_if $each (local.tee $k (i32.sub (local.get $k) (i32.const 1)))))
        (v128.store (local.get $out) (local.get $s))
        (br_if $columns (i32.lt_s (local.tee $j (i32.add (local.get $j) (i32.const 4))) (local.get $N))))
      (local.set $a (i32.add (local.get $a) (local.get $a_b)))
      (local.set $c (i32.add (local.get $c) (local.get $c_b)))
      (br_if $rows (local.tee $M (i32.sub (local.get $M) (i32.const 1))))))

  ;; c[M, N] = a[M, K] b[K, N], or c + a b where $add is not 0; N a multiple of 4, K at least 1. The rows of a are a_b apart and the
  ;; numbers of a row k_b, so that a may be read transposed. Four rows by eight columns stay in registers while k runs.
  (func (export "matmul")
    (param $a i32) (param $a_b i32) (param $k_b i32) (param $b i32) (param $b_b i32) (param $c i32) (param $c_b i32)
    (param $M i32) (param $K i32) (param $N i32) (param $add i32)
    (local $tall i32) (local $wide i32) (local $i i32) (local $j i32) (local $k i32) (local $q i32)
    (local $a0 i32) (local $a1 i32) (local $a2 i32) (local $a3 i32) (local $c0 i32) (local $c1 i32) (local $c2 i32) (local $c3 i32)
    (local $b0 v128) (local $b1 v128) (local $s v128)
    (local $s00 v128) (local $s01 v128) (local $s10 v128) (local $s11 v128)
    (local $s20 v128) (local $s21 v128) (local $s30 v128) (local $s31 v128)
    (local.set $tall (i32.and (local.get $M) (i32.const -4)))
    (local.set $wide (i32.and (local.get $N) (i32.const -8)))
    (if (i32.and (i32.gt_s (local.get $tall) (i32.const 0)) (i32.gt_s (local.get $wide) (i32.const 0)))
      (then
        (loop $panels
          (local.set $i (i32.const 0))
          (loop $four
            (local.set $a0 (i32.add (local.get $a) (i32.mul (local.get $i) (local.get $a_b))))
            (local.set $a1 (i32.add (local.get $a0) (local.get $a_b)))
            (local.set $a2 (i32.add (local.get $a1) (local.get $a_b)))
            (local.set $a3 (i32.add (local.get $a2) (local.get $a_b)))
            (local.set $c0 (i32.add (i32.add (local.get $c) (i32.shl (local.get $j) (i32.const 2))) (i32.mul (local.get $i) (local.get $c_b))))
            (local.set $c1 (i32.add (local.get $c0) (local.get $c_b)))
            (local.set $c2 (i32.add (local.get $c1) (local.get $c_b)))
            (local.set $c3 (i32.add (local.get $c2) (local.get $c_b)))
            (if (local.get $add)
              (then
                (local.set $s00 (v128.load (local.get $c0))) (local.set $s01 (v128.load offset=16 (local.get $c0)))
                (local.set $s10 (v128.load (local.get $c1))) (local.set $s11 (v128.load offset=16 (local.get $c1)))
                (local.set $s20 (v128.load (local.get $c2))) (local.set $s21 (v128.load offset=16 (local.get $c2)))
                (local.set $s30 (v128.load (local.get $c3))) (local.set $s31 (v128.load offset=16 (local.get $c3))))
              (else
                (local.set $s00 (v128.const i32x4 0 0 0 0)) (local.set $s01 (v128.const i32x4 0 0 0 0))
                (local.set $s10 (v128.const i32x4 0 0 0 0)) (local.set $s11 (v128.const i32x4 0 0 0 0))
                (local.set $s20 (v128.const i32x4 0 0 0 0)) (local.set $s21 (v128.const i32x4 0 0 0 0))
                (local.set $s30 (v128.const i32x4 0 0 0 0)) (local.set $s31 (v128.const i32x4 0 0 0 0))))
            (local.set $q (i32.add (local.get $b) (i32.shl (local.get $j) (i32.const 2))))
            (local.set $k (local.get $K))
            (loop $each
              (local.set $b0 (v128.load (local.get $q)))
              (local.set $b1 (v128.load offset=16 (local.get $q)))
              (local.set $s (v128.load32_splat (local.get $a0)))
              (local.set $s00 (f32x4.relaxed_madd (local.get $s) (local.get $b0) (local.get $s00)))
              (local.set $s01 (f32x4.relaxed_madd (local.get $s) (local.get $b1) (local.get $s01)))
              (local.set $s (v128.load32_splat (local.get $a1)))
              (local.set $s10 (f32x4.relaxed_madd (local.get $s) (local.get $b0) (local.get $s10)))
              (local.set $s11 (f32x4.relaxed_madd (local.get $s) (local.get $b1) (local.get $s11)))
              (local.set $s (v128.load32_splat (local.get $a2)))
              (local.set $s20 (f32x4.relaxed_madd (local.get $s) (local.get $b0) (local.get $s20)))
              (local.set $s21 (f32x4.relaxed_madd (local.get $s) (local.get $b1) (local.get $s21)))
              (local.set $s (v128.load32_splat (local.get $a3)))
              (local.set $s30 (f32x4.relaxed_madd (local.get $s) (local.get $b0) (local.get $s30)))
              (local.set $s31 (f32x4.relaxed_madd (local.get $s) (local.get $b1) (local.get $s31)))
              (local.set $a0 (i32.add (local.get $a0) (local.get $k_b)))
              (local.set $a1 (i32.add (local.get $a1) (local.get $k_b)))
              (local.set $a2 (i32.add (local.get $a2) (local.get $k_b)))
              (local.set $a3 (i32.add (local.get $a3) (local.get $k_b)))
              (local.set $q (i32.add (local.get $q) (local.get $b_b)))
              (br_if $each (local.tee $k (i32.sub (local.get $k) (i32.const 1)))))
            (v128.store (local.get $c0) (local.get $s00)) (v128.store offset=16 (local.get $c0) (local.get $s01))
            (v128.store (local.get $c1) (local.get $s10)) (v128.store offset=16 (local.get $c1) (local.get $s11))
            (v128.store (local.get $c2) (local.get $s20)) (v128.store offset=16 (local.get $c2) (local.get $s21))
            (v128.store (local.get $c3) (local.get $s30)) (v128.store offset=16 (local.get $c3) (local.get $s31))
            (br_if $four (i32.lt_s (local.tee $i (i32.add (local.get $i) (i32.const 4))) (local.get $tall))))
          (br_if $panels (i32.lt_s (local.tee $j (i32.add (local.get $j) (i32.const 8))) (local.get $wide))))))
    ;; the last rows of these columns, then the last columns of all rows
    (call $narrow
      (i32.add (local.get $a) (i32.mul (local.get $tall) (local.get $a_b))) (local.get $a_b) (local.get $k_b)
      (local.get $b) (local.get $b_b)
      (i32.add (local.get $c) (i32.mul (local.get $tall) (local.get $c_b))) (local.get $c_b)
      (i32.sub (local.get $M) (local.get $tall)) (local.get $K) (local.get $wide) (local.get $add))
    (call $narrow
      (local.get $a) (local.get $a_b) (local.get $k_b)
      (i32.add (local.get $b) (i32.shl (local.get $wide) (i32.const 2))) (local.get $b_b)
      (i32.add (local.get $c) (i32.shl (local.get $wide) (i32.const 2))) (local.get $c_b)
      (local.get $M) (local.get $K) (i32.sub (local.get $N) (local.get $wide)) (local.get $add)))

  ;; out[N, M] = x[M, N] transposed; the rows of x are x_b apart.
  (func (export "transpose") (param $x i32) (param $x_b i32) (param $out i32) (param $M i32) (param $N i32)
    (local $i i32) (local $n i32) (local $p i32) (local $q i32)
    (loop $rows
      (local.set $p (local.get $x))
      (local.set $q (i32.add (local.get $out) (i32.shl (local.get $i) (i32.const 2))))
      (local.set $n (local.get $N))
      (loop $each
        (f32.store (local.get $q) (f32.load (local.get $p)))
        (local.set $p (i32.add (local.get $p) (i32.const 4)))
        (local.set $q (i32.add (local.get $q) (i32.shl (local.get $M) (i32.const 2))))
        (br_if $each (local.tee $n (i32.sub (local.get $n) (i32.const 1)))))
      (local.set $x (i32.add (local.get $x) (local.get $x_b)))
      (br_if $rows (i32.lt_s (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $M)))))

  ;; Each of so many rows of n numbers (a multiple of 4) becomes softmax(scale x) over its first `seen` numbers, and 0 behind them.
  ;; seen = 0: causal, row i of every n rows sees i + 1.
  (func (export "softmax") (param $x i32) (param $rows i32) (param $n i32) (param $seen i32) (param $scale f32)
    (local $i i32) (local $m i32) (local $j i32) (local $p i32) (local $v v128) (local $most v128) (local $total v128)
    (loop $each_row
      (local.set $m (select (local.get $seen) (i32.add (i32.rem_u (local.get $i) (local.get $n)) (i32.const 1)) (local.get $seen)))
      (local.set $most (v128.const f32x4 -1e30 -1e30 -1e30 -1e30))
      (local.set $total (v128.const i32x4 0 0 0 0))
      (local.set $j (i32.const 0))
      (local.set $p (local.get $x))
      (loop $largest
        (local.set $v (v128.bitselect
          (f32x4.mul (v128.load (local.get $p)) (f32x4.splat (local.get $scale)))
          (v128.const f32x4 -1e30 -1e30 -1e30 -1e30)
          (i32x4.lt_s (v128.const i32x4 0 1 2 3) (i32x4.splat (i32.sub (local.get $m) (local.get $j))))))
        (v128.store (local.get $p) (local.get $v))
        (local.set $most (f32x4.max (local.get $most) (local.get $v)))
        (local.set $p (i32.add (local.get $p) (i32.const 16)))
        (br_if $largest (i32.lt_s (local.tee $j (i32.add (local.get $j) (i32.const 4))) (local.get $m))))
      (local.set $most (f32x4.splat (f32.max
        (f32.max (f32x4.extract_lane 0 (local.get $most)) (f32x4.extract_lane 1 (local.get $most)))
        (f32.max (f32x4.extract_lane 2 (local.get $most)) (f32x4.extract_lane 3 (local.get $most))))))
      (local.set $j (i32.const 0))
      (local.set $p (local.get $x))
      (loop $exponentials
        (local.set $v (call $exp (f32x4.sub (v128.load (local.get $p)) (local.get $most))))
        (v128.store (local.get $p) (local.get $v))
        (local.set $total (f32x4.add (local.get $total) (local.get $v)))
        (local.set $p (i32.add (local.get $p) (i32.const 16)))
        (br_if $exponentials (i32.lt_s (local.tee $j (i32.add (local.get $j) (i32.const 4))) (local.get $m))))
      (local.set $total (f32x4.splat (f32.div (f32.const 1) (call $sum (local.get $total)))))
      (local.set $j (i32.const 0))
      (local.set $p (local.get $x))
      (loop $shares
        (v128.store (local.get $p) (f32x4.mul (v128.load (local.get $p)) (local.get $total)))
        (local.set $p (i32.add (local.get $p) (i32.const 16)))
        (br_if $shares (i32.lt_s (local.tee $j (i32.add (local.get $j) (i32.const 4))) (local.get $m))))
      (block $full
        (loop $hidden
          (br_if $full (i32.ge_s (local.get $j) (local.get $n)))
          (v128.store (local.get $p) (v128.const i32x4 0 0 0 0))
          (local.set $p (i32.add (local.get $p) (i32.const 16)))
          (local.set $j (i32.add (local.get $j) (i32.const 4)))
          (br $hidden)))
      (local.set $x (local.get $p))
      (br_if $each_row (i32.lt_s (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $rows)))))

  ;; The gradient by softmax's input: dy becomes scale y (dy - sum(y dy)), and 0 where a row does not see; y is what softmax gave.
  (func (export "softmax_backward") (param $y i32) (param $dy i32) (param $rows i32) (param $n i32) (param $seen i32) (param $scale f32)
    (local $i i32) (local $m i32) (local $j i32) (local $v v128) (local $total v128)
    (loop $each_row
      (local.set $m (select (local.get $seen) (i32.add (i32.rem_u (local.get $i) (local.get $n)) (i32.const 1)) (local.get $seen)))
      (local.set $total (v128.const i32x4 0 0 0 0))
      (local.set $j (i32.const 0))
      (loop $products
        ;; behind what a row sees y is 0, and dy a number of no meaning
        (local.set $total (f32x4.relaxed_madd (v128.load (local.get $y)) (v128.load (local.get $dy)) (local.get $total)))
        (local.set $y (i32.add (local.get $y) (i32.const 16)))
        (local.set $dy (i32.add (local.get $dy) (i32.const 16)))
        (br_if $products (i32.lt_s (local.tee $j (i32.add (local.get $j) (i32.const 4))) (local.get $m))))
      (local.set $y (i32.sub (local.get $y) (i32.shl (local.get $j) (i32.const 2))))
      (local.set $dy (i32.sub (local.get $dy) (i32.shl (local.get $j) (i32.const 2))))
      (local.set $total (f32x4.splat (call $sum (local.get $total))))
      (local.set $j (i32.const 0))
      (loop $each
        (local.set $v (v128.const i32x4 0 0 0 0))
        (if (i32.lt_s (local.get $j) (local.get $m))
          (then (local.set $v (call $flushed (f32x4.mul
            (f32x4.mul (v128.load (local.get $y)) (f32x4.splat (local.get $scale)))
            (f32x4.sub (v128.load (local.get $dy)) (local.get $total)))))))
        (v128.store (local.get $dy) (local.get $v))
        (local.set $y (i32.add (local.get $y) (i32.const 16)))
        (local.set $dy (i32.add (local.get $dy) (i32.const 16)))
        (br_if $each (i32.lt_s (local.tee $j (i32.add (local.get $j) (i32.const 4))) (local.get $n))))
      (br_if $each_row (i32.lt_s (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $rows)))))

  ;; y = gain x / sqrt(mean(x^2) + 1e-5) of so many rows of n numbers (a multiple of 4); a row's factor is kept at r.
  (func (export "rms_norm") (param $x i32) (param $gain i32) (param $y i32) (param $r i32) (param $rows i32) (param $n i32)
    (local $j i32) (local $end i32) (local $s v128) (local $factor f32)
    (local.set $end (i32.shl (local.get $n) (i32.const 2)))
    (loop $each_row
      (local.set $s (v128.const i32x4 0 0 0 0))
      (local.set $j (i32.const 0))
      (loop $squares
        (local.set $s (f32x4.add (local.get $s) (f32x4.mul
          (v128.load (i32.add (local.get $x) (local.get $j)))
          (v128.load (i32.add (local.get $x) (local.get $j))))))
        (br_if $squares (i32.lt_s (local.tee $j (i32.add (local.get $j) (i32.const 16))) (local.get $end))))
      (local.set $factor (f32.div (f32.const 1) (f32.sqrt (f32.add (f32.const 1e-5)
        (f32.div (call $sum (local.get $s)) (f32.convert_i32_s (local.get $n)))))))
      (f32.store (local.get $r) (local.get $factor))
      (local.set $j (i32.const 0))
      (loop $each
        (v128.store (i32.add (local.get $y) (local.get $j)) (f32x4.mul
          (f32x4.mul (v128.load (i32.add (local.get $x) (local.get $j))) (f32x4.splat (local.get $factor)))
          (v128.load (i32.add (local.get $gain) (local.get $j)))))
        (br_if $each (i32.lt_s (local.tee $j (i32.add (local.get $j) (i32.const 16))) (local.get $end))))
      (local.set $x (i32.add (local.get $x) (local.get $end)))
      (local.set $y (i32.add (local.get $y) (local.get $end)))
      (local.set $r (i32.add (local.get $r) (i32.const 4)))
      (br_if $each_row (local.tee $rows (i32.sub (local.get $rows) (i32.const 1))))))

  ;; Its gradients: dx = r gain dy - x r^3 mean(x gain dy), or dx more than there was where $add is not 0; dgain grows by sum(x r dy).
  (func (export "rms_norm_backward")
    (param $x i32) (param $gain i32) (param $dy i32) (param $r i32) (param $dx i32) (param $dgain i32)
    (param $rows i32) (param $n i32) (param $add i32)
    (local $j i32) (local $end i32) (local $u v128) (local $s v128) (local $by v128)
    (local.set $end (i32.shl (local.get $n) (i32.const 2)))
    (loop $each_row
      (local.set $by (v128.load32_splat (local.get $r)))
      (local.set $s (v128.const i32x4 0 0 0 0))
      (local.set $j (i32.const 0))
      (loop $products
        (local.set $u (f32x4.mul (v128.load (i32.add (local.get $x) (local.get $j))) (v128.load (i32.add (local.get $dy) (local.get $j)))))
        (local.set $s (f32x4.add (local.get $s) (f32x4.mul (local.get $u) (v128.load (i32.add (local.get $gain) (local.get $j))))))
        (v128.store (i32.add (local.get $dgain) (local.get $j)) (f32x4.add
          (v128.load (i32.add (local.get $dgain) (local.get $j)))
          (f32x4.mul (local.get $u) (local.get $by))))
        (br_if $products (i32.lt_s (local.tee $j (i32.add (local.get $j) (i32.const 16))) (local.get $end))))
      (local.set $s (f32x4.splat (f32.div (call $sum (local.get $s)) (f32.convert_i32_s (local.get $n)))))
      (local.set $s (f32x4.mul (f32x4.mul (local.get $s) (local.get $by)) (f32x4.mul (local.get $by) (local.get $by))))
      (local.set $j (i32.const 0))
      (loop $each
        (local.set $u (f32x4.sub
          (f32x4.mul
            (f32x4.mul (v128.load (i32.add (local.get $dy) (local.get $j))) (v128.load (i32.add (local.get $gain) (local.get $j))))
            (local.get $by))
          (f32x4.mul (v128.load (i32.add (local.get $x) (local.get $j))) (local.get $s))))
        (if (local.get $add) (then (local.set $u (f32x4.add (local.get $u) (v128.load (i32.add (local.get $dx) (local.get $j)))))))
        (v128.store (i32.add (local.get $dx) (local.get $j)) (local.get $u))
        (br_if $each (i32.lt_s (local.tee $j (i32.add (local.get $j) (i32.const 16))) (local.get $end))))
      (local.set $x (i32.add (local.get $x) (local.get $end)))
      (local.set $dy (i32.add (local.get $dy) (local.get $end)))
      (local.set $dx (i32.add (local.get $dx) (local.get $end)))
      (local.set $r (i32.add (local.get $r) (i32.const 4)))
      (br_if $each_row (local.tee $rows (i32.sub (local.get $rows) (i32.const 1))))))

  ;; The first n numbers (a multiple of 4) of every row, rows x_b apart, are turned in pairs (2i, 2i + 1) by the angles of its
  ;; position, which begin anew every T rows: x cos + swapped(x) sin, tables [T, n], where sin is negative for the first of a pair.
  (func (export "rotate") (param $x i32) (param $x_b i32) (param $cos i32) (param $sin i32) (param $rows i32) (param $T i32) (param $n i32)
    (local $i i32) (local $j i32) (local $p i32) (local $at i32) (local $v v128)
    (loop $each_row
      (local.set $at (i32.shl (i32.mul (i32.rem_u (local.get $i) (local.get $T)) (local.get $n)) (i32.const 2)))
      (local.set $p (local.get $x))
      (local.set $j (local.get $n))
      (loop $each
        (local.set $v (v128.load (local.get $p)))
        (v128.store (local.get $p) (f32x4.add
          (f32x4.mul (local.get $v) (v128.load (i32.add (local.get $cos) (local.get $at))))
          (f32x4.mul
            (i8x16.shuffle 4 5 6 7 0 1 2 3 12 13 14 15 8 9 10 11 (local.get $v) (local.get $v))
            (v128.load (i32.add (local.get $sin) (local.get $at))))))
        (local.set $p (i32.add (local.get $p) (i32.const 16)))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br_if $each (i32.gt_s (local.tee $j (i32.sub (local.get $j) (i32.const 4))) (i32.const 0))))
      (local.set $x (i32.add (local.get $x) (local.get $x_b)))
      (br_if $each_row (i32.lt_s (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $rows)))))

  ;; sigmoid(2 sqrt(2 / pi) (x + 0.044715 x^3)): what GELU, by its tanh, multiplies x with.
  (func $gate (param $x v128) (result v128)
    (f32x4.div (v128.const f32x4 1 1 1 1) (f32x4.add (v128.const f32x4 1 1 1 1) (call $exp (f32x4.pmin
      (v128.const f32x4 40 40 40 40)
      (f32x4.mul
        (f32x4.mul (local.get $x) (v128.const f32x4 -1.5957691216 -1.5957691216 -1.5957691216 -1.5957691216))
        (f32x4.add (v128.const f32x4 1 1 1 1)
          (f32x4.mul (f32x4.mul (local.get $x) (local.get $x)) (v128.const f32x4 0.044715 0.044715 0.044715 0.044715)))))))))

  ;; y = GELU(x) of n numbers (a multiple of 4).
  (func (export "gelu") (param $x i32) (param $y i32) (param $n i32)
    (local $v v128)
    (loop $each
      (local.set $v (v128.load (local.get $x)))
      (v128.store (local.get $y) (f32x4.mul (local.get $v) (call $gate (local.get $v))))
      (local.set $x (i32.add (local.get $x) (i32.const 16)))
      (local.set $y (i32.add (local.get $y) (i32.const 16)))
      (br_if $each (i32.gt_s (local.tee $n (i32.sub (local.get $n) (i32.const 4))) (i32.const 0)))))

  ;; dy becomes the gradient by x: dy (g + x g (1 - g) u'), where g is the gate and u' the slope of what is in it.
  (func (export "gelu_backward") (param $x i32) (param $dy i32) (param $n i32)
    (local $v v128) (local $g v128)
    (loop $each
      (local.set $v (v128.load (local.get $x)))
      (local.set $g (call $gate (local.get $v)))
      (v128.store (local.get $dy) (f32x4.mul (v128.load (local.get $dy)) (f32x4.add (local.get $g) (f32x4.mul
        (f32x4.mul (f32x4.mul (local.get $v) (local.get $g)) (f32x4.sub (v128.const f32x4 1 1 1 1) (local.get $g)))
        (f32x4.mul (v128.const f32x4 1.5957691216 1.5957691216 1.5957691216 1.5957691216)
          (f32x4.add (v128.const f32x4 1 1 1 1)
            (f32x4.mul (f32x4.mul (local.get $v) (local.get $v)) (v128.const f32x4 0.134145 0.134145 0.134145 0.134145))))))))
      (local.set $x (i32.add (local.get $x) (i32.const 16)))
      (local.set $dy (i32.add (local.get $dy) (i32.const 16)))
      (br_if $each (i32.gt_s (local.tee $n (i32.sub (local.get $n) (i32.const 4))) (i32.const 0)))))

  ;; x += y, n numbers (a multiple of 4).
  (func (export "add") (param $x i32) (param $y i32) (param $n i32)
    (loop $each
      (v128.store (local.get $x) (f32x4.add (v128.load (local.get $x)) (v128.load (local.get $y))))
      (local.set $x (i32.add (local.get $x) (i32.const 16)))
      (local.set $y (i32.add (local.get $y) (i32.const 16)))
      (br_if $each (i32.gt_s (local.tee $n (i32.sub (local.get $n) (i32.const 4))) (i32.const 0)))))

  ;; The sum of the squares of n numbers (a multiple of 4), in float64: a gradient of a broken run overflows in float32 first.
  (func (export "sum_of_squares") (param $x i32) (param $n i32) (result f64)
    (local $v v128) (local $s v128)
    (loop $each
      (local.set $v (f64x2.promote_low_f32x4 (v128.load (local.get $x))))
      (local.set $s (f64x2.add (local.get $s) (f64x2.mul (local.get $v) (local.get $v))))
      (local.set $v (f64x2.promote_low_f32x4 (v128.load64_zero offset=8 (local.get $x))))
      (local.set $s (f64x2.add (local.get $s) (f64x2.mul (local.get $v) (local.get $v))))
      (local.set $x (i32.add (local.get $x) (i32.const 16)))
      (br_if $each (i32.gt_s (local.tee $n (i32.sub (local.get $n) (i32.const 4))) (i32.const 0))))
    (f64.add (f64x2.extract_lane 0 (local.get $s)) (f64x2.extract_lane 1 (local.get $s))))

  ;; One step of Adam on n parameters x (a multiple of 4) with gradients g, scaled by `clip`, and means m and v: x -= rate m /
  ;; (sqrt(v) fix + 1e-8), where rate and fix hold the corrections of both means for their start at 0.
  (func (export "adam")
    (param $x i32) (param $g i32) (param $m i32) (param $v i32) (param $n i32)
    (param $clip f32) (param $rate f32) (param $beta1 f32) (param $beta2 f32) (param $fix f32)
    (local $u v128) (local $mean v128) (local $square v128)
    (loop $each
      (local.set $u (f32x4.mul (v128.load (local.get $g)) (f32x4.splat (local.get $clip))))
      (local.set $mean (call $flushed (f32x4.add
        (f32x4.mul (v128.load (local.get $m)) (f32x4.splat (local.get $beta1)))
        (f32x4.mul (local.get $u) (f32x4.splat (f32.sub (f32.const 1) (local.get $beta1)))))))
      (local.set $square (call $flushed (f32x4.add
        (f32x4.mul (v128.load (local.get $v)) (f32x4.splat (local.get $beta2)))
        (f32x4.mul (f32x4.mul (local.get $u) (local.get $u)) (f32x4.splat (f32.sub (f32.const 1) (local.get $beta2)))))))
      (v128.store (local.get $m) (local.get $mean))
      (v128.store (local.get $v) (local.get $square))
      (v128.store (local.get $x) (f32x4.sub (v128.load (local.get $x)) (f32x4.div
        (f32x4.mul (local.get $mean) (f32x4.splat (local.get $rate)))
        (f32x4.add (f32x4.mul (f32x4.sqrt (local.get $square)) (f32x4.splat (local.get $fix))) (v128.const f32x4 1e-8 1e-8 1e-8 1e-8)))))
      (local.set $x (i32.add (local.get $x) (i32.const 16)))
      (local.set $g (i32.add (local.get $g) (i32.const 16)))
      (local.set $m (i32.add (local.get $m) (i32.const 16)))
      (local.set $v (i32.add (local.get $v) (i32.const 16)))
      (br_if $each (i32.gt_s (local.tee $n (i32.sub (local.get $n) (i32.const 4))) (i32.const 0)))))
)
