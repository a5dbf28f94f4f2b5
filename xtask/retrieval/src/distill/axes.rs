//! The axes along which vectors differ most, so that fewer numbers hold almost the same information.

/// The number of iterations that turn the axes towards the principal ones.
const TURNS: usize = 60;

/// Returns the first `wanted` principal axes of vectors with `dimensions` numbers, in sequence. The axes are about the origin, as cosines
/// are.
pub(super) fn principal(vectors: &[f32], dimensions: usize, wanted: usize) -> Vec<f32> {
    let mut products = vec![0.0_f64; dimensions * dimensions];
    for vector in vectors.chunks_exact(dimensions) {
        for (row, a) in products.chunks_exact_mut(dimensions).zip(vector) {
            row.iter_mut().zip(vector).for_each(|(sum, b)| *sum += f64::from(*a) * f64::from(*b));
        }
    }
    let mut random = fastrand::Rng::with_seed(7);
    let mut axes: Vec<Vec<f64>> =
        (0..wanted).map(|_| (0..dimensions).map(|_| random.f64() - 0.5).collect()).collect();
    for _ in 0..TURNS {
        for axis in &mut axes {
            *axis = products.chunks_exact(dimensions).map(|row| dot(row, axis)).collect();
        }
        make_orthonormal(&mut axes);
    }
    axes.into_iter().flatten().map(|x| x as f32).collect()
}

fn make_orthonormal(axes: &mut [Vec<f64>]) {
    for i in 0..axes.len() {
        let (before, rest) = axes.split_at_mut(i);
        let Some(axis) = rest.first_mut() else { return };
        // Twice, because the first time leaves rounding errors.
        for _ in 0..2 {
            for other in &*before {
                let along = dot(axis, other);
                axis.iter_mut().zip(other).for_each(|(x, y)| *x -= along * y);
            }
        }
        let length = dot(axis, axis).sqrt().max(f64::MIN_POSITIVE);
        axis.iter_mut().for_each(|x| *x /= length);
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Returns the vectors along the axes, each scaled to the length one.
pub(super) fn project(vectors: &[f32], axes: &[f32], dimensions: usize) -> Vec<f32> {
    let mut out = Vec::with_capacity(vectors.len() / dimensions * (axes.len() / dimensions));
    for vector in vectors.chunks_exact(dimensions) {
        let start = out.len();
        out.extend(
            axes.chunks_exact(dimensions)
                .map(|axis| axis.iter().zip(vector).map(|(x, y)| x * y).sum::<f32>()),
        );
        normalize(&mut out[start..]);
    }
    out
}

/// Scales a vector to the length one.
pub(super) fn normalize(vector: &mut [f32]) {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt().max(1e-6);
    vector.iter_mut().for_each(|x| *x /= length);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_axis_is_the_one_along_which_most_lies() {
        let vectors: Vec<f32> =
            (0..100).flat_map(|i| [i as f32, 2.0 * i as f32, (i % 3) as f32 * 0.1]).collect();
        let axes = principal(&vectors, 3, 2);
        assert!((axes[1] / axes[0] - 2.0).abs() < 1e-2 && axes[2].abs() < 0.01, "{axes:?}");
        let across: f32 = axes[..3].iter().zip(&axes[3..]).map(|(x, y)| x * y).sum();
        assert!(across.abs() < 1e-5, "{across}");
        let projected = project(&vectors[3..6], &axes, 3);
        assert!((projected.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-5);
    }
}
