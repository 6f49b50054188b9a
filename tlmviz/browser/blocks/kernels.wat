;; Products with matrices that are kept in 8 bits, for files that have no more (../gguf.js): a live file does without. Pointers
;; are in bytes, all else counts numbers, and the memory is the engine's. `npm run kernels` compiles this file as it does the others.
(module
  (import "engine" "memory" (memory 1))

  ;; y[N] = x[K] w[K, N] of one row, w in 8 bits. A panel of 8 columns is a row of blocks of 32 k: scales [8], offsets [8], then
  ;; integers [32, 8], each of which stands for scale * integer + offset.
  (func (export "block_row") (param $x i32) (param $w i32) (param $y i32) (param $K i32) (param $N i32)
    (local $p i32) (local $k i32) (local $i i32) (local $block i32) (local $v v128) (local $w0 v128) (local $w1 v128) (local $s v128)
    (local $a0 v128) (local $a1 v128) (local $b0 v128) (local $b1 v128) (local $c0 v128) (local $c1 v128) (local $sum v128)
    (loop $panels
      (local.set $p (local.get $x))
      (local.set $k (local.get $K))
      (local.set $a0 (v128.const i32x4 0 0 0 0)) (local.set $a1 (v128.const i32x4 0 0 0 0))
      (loop $blocks
        (local.set $block (local.get $w))
        (local.set $sum (v128.const i32x4 0 0 0 0))
        (local.set $b0 (v128.const i32x4 0 0 0 0)) (local.set $b1 (v128.const i32x4 0 0 0 0))
        (local.set $c0 (v128.const i32x4 0 0 0 0)) (local.set $c1 (v128.const i32x4 0 0 0 0))
        (local.set $i (i32.const 16))
        (loop $each ;; two rows a turn, with sums of their own: an addition does not wait for the one before
          (local.set $v (v128.load8x8_s offset=64 (local.get $w)))
          (local.set $s (v128.load32_splat (local.get $p)))
          (local.set $sum (f32x4.add (local.get $sum) (local.get $s)))
          (local.set $w0 (f32x4.convert_i32x4_s (i32x4.extend_low_i16x8_s (local.get $v))))
          (local.set $w1 (f32x4.convert_i32x4_s (i32x4.extend_high_i16x8_s (local.get $v))))
          (local.set $b0 (f32x4.relaxed_madd (local.get $s) (local.get $w0) (local.get $b0)))
          (local.set $b1 (f32x4.relaxed_madd (local.get $s) (local.get $w1) (local.get $b1)))
          (local.set $v (v128.load8x8_s offset=72 (local.get $w)))
          (local.set $s (v128.load32_splat offset=4 (local.get $p)))
          (local.set $sum (f32x4.add (local.get $sum) (local.get $s)))
          (local.set $w0 (f32x4.convert_i32x4_s (i32x4.extend_low_i16x8_s (local.get $v))))
          (local.set $w1 (f32x4.convert_i32x4_s (i32x4.extend_high_i16x8_s (local.get $v))))
          (local.set $c0 (f32x4.relaxed_madd (local.get $s) (local.get $w0) (local.get $c0)))
          (local.set $c1 (f32x4.relaxed_madd (local.get $s) (local.get $w1) (local.get $c1)))
          (local.set $w (i32.add (local.get $w) (i32.const 16)))
          (local.set $p (i32.add (local.get $p) (i32.const 8)))
          (br_if $each (local.tee $i (i32.sub (local.get $i) (i32.const 1)))))
        (local.set $b0 (f32x4.add (local.get $b0) (local.get $c0)))
        (local.set $b1 (f32x4.add (local.get $b1) (local.get $c1)))
        (local.set $a0 (f32x4.relaxed_madd (v128.load (local.get $block)) (local.get $b0) (local.get $a0)))
        (local.set $a1 (f32x4.relaxed_madd (v128.load offset=16 (local.get $block)) (local.get $b1) (local.get $a1)))
        (local.set $a0 (f32x4.relaxed_madd (v128.load offset=32 (local.get $block)) (local.get $sum) (local.get $a0)))
        (local.set $a1 (f32x4.relaxed_madd (v128.load offset=48 (local.get $block)) (local.get $sum) (local.get $a1)))
        (local.set $w (i32.add (local.get $w) (i32.const 64)))
        (br_if $blocks (local.tee $k (i32.sub (local.get $k) (i32.const 32)))))
      (v128.store (local.get $y) (local.get $a0)) (v128.store offset=16 (local.get $y) (local.get $a1))
      (local.set $y (i32.add (local.get $y) (i32.const 32)))
      (br_if $panels (local.tee $N (i32.sub (local.get $N) (i32.const 8))))))

  ;; A panel of such blocks as float32 [K, 8], for `matmul`.
  (func (export "widen") (param $w i32) (param $out i32) (param $K i32)
    (local $i i32) (local $v v128) (local $w0 v128) (local $w1 v128)
    (local $d0 v128) (local $d1 v128) (local $m0 v128) (local $m1 v128)
    (loop $blocks
      (local.set $d0 (v128.load (local.get $w))) (local.set $d1 (v128.load offset=16 (local.get $w)))
      (local.set $m0 (v128.load offset=32 (local.get $w))) (local.set $m1 (v128.load offset=48 (local.get $w)))
      (local.set $i (i32.const 32))
      (loop $each
        (local.set $v (v128.load8x8_s offset=64 (local.get $w)))
        (local.set $w0 (f32x4.convert_i32x4_s (i32x4.extend_low_i16x8_s (local.get $v))))
        (local.set $w1 (f32x4.convert_i32x4_s (i32x4.extend_high_i16x8_s (local.get $v))))
        (v128.store (local.get $out) (f32x4.relaxed_madd (local.get $w0) (local.get $d0) (local.get $m0)))
        (v128.store offset=16 (local.get $out) (f32x4.relaxed_madd (local.get $w1) (local.get $d1) (local.get $m1)))
        (local.set $w (i32.add (local.get $w) (i32.const 8)))
        (local.set $out (i32.add (local.get $out) (i32.const 32)))
        (br_if $each (local.tee $i (i32.sub (local.get $i) (i32.const 1)))))
      (local.set $w (i32.add (local.get $w) (i32.const 64)))
      (br_if $blocks (local.tee $K (i32.sub (local.get $K) (i32.const 32)))))))
