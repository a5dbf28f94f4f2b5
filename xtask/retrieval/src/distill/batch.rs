//! A batch of texts: the distance of their sums from the teacher's vectors, and the direction in which the distance shrinks.

use super::axes::normalize;

/// The weight of the contrast, which moves a text nearer to its own vector than to the other vectors of the batch.
const CONTRAST: f32 = 0.3;
/// The temperature of the contrast's softmax. A lower value judges the contrast more sharply.
const TEMPERATURE: f32 = 0.05;

/// Returns the gradients of the sums, one after the other, and the mean of one minus the cosine.
pub(super) fn gradients(sums: &[f32], wanted: &[f32], dimensions: usize) -> (Vec<f32>, f32) {
    let count = sums.len() / dimensions;
    let mut units = sums.to_vec();
    units.chunks_exact_mut(dimensions).for_each(normalize);
    let mut gradients = Vec::with_capacity(sums.len());
    let mut distance = 0.0;
    let mut odds = vec![0.0_f32; count];
    for (i, unit) in units.chunks_exact(dimensions).enumerate() {
        let own = &wanted[i * dimensions..(i + 1) * dimensions];
        distance += 1.0 - dot(unit, own);
        let mut gradient: Vec<f32> = own.iter().map(|x| -x).collect();
        // Softmax over the batch: the text's own vector should get all of it.
        for (odds, other) in odds.iter_mut().zip(wanted.chunks_exact(dimensions)) {
            *odds = dot(unit, other) / TEMPERATURE;
        }
        let most = odds.iter().copied().fold(f32::MIN, f32::max);
        odds.iter_mut().for_each(|odds| *odds = (*odds - most).exp());
        let all: f32 = odds.iter().sum();
        for (j, (odds, other)) in odds.iter().zip(wanted.chunks_exact(dimensions)).enumerate() {
            let share = odds / all - if i == j { 1.0 } else { 0.0 };
            // Most of the batch is far away and has no effect.
            if share.abs() > 1e-5 {
                let pull = CONTRAST / TEMPERATURE * share;
                gradient.iter_mut().zip(other).for_each(|(sum, x)| *sum += pull * x);
            }
        }
        // Only the part that turns the sum counts, and it counts less for a longer sum.
        let along = dot(&gradient, unit);
        let length = dot(&sums[i * dimensions..(i + 1) * dimensions], unit).max(1e-6);
        let part = 1.0 / (length * count as f32);
        gradients.extend(gradient.iter().zip(unit).map(|(x, unit)| (x - along * unit) * part));
    }
    (gradients, distance / count.max(1) as f32)
}

fn dot(a: &[f32], b: &[f32]) -> f32 {
    // Eight sums at once, so that the compiler may use wide registers.
    let mut sums = [0.0_f32; 8];
    let (a, b) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest: f32 = a.remainder().iter().zip(b.remainder()).map(|(x, y)| x * y).sum();
    for (a, b) in a.zip(b) {
        for i in 0..8 {
            sums[i] += a[i] * b[i];
        }
    }
    sums.iter().sum::<f32>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_along_the_gradient_reduces_the_error() {
        let mut wanted: Vec<f32> = vec![1.0, 0.2, 0.0, -0.3, 1.0, 0.1];
        wanted.chunks_exact_mut(3).for_each(normalize);
        let mut sums = vec![0.5, 1.0, 0.7, 1.0, 0.4, -0.2];
        let (_, before) = gradients(&sums, &wanted, 3);
        for _ in 0..50 {
            let (gradients, _) = gradients(&sums, &wanted, 3);
            sums.iter_mut().zip(gradients).for_each(|(sum, gradient)| *sum -= 0.05 * gradient);
        }
        let (_, after) = gradients(&sums, &wanted, 3);
        assert!(after < before * 0.5, "{before} {after}");
    }
}
