//! Learns the vectors of the pieces.

use super::{adam::Adam, batch::gradients};

/// The number of times that each text is learned from.
const ROUNDS: usize = 4;
/// The number of texts in one batch.
const BATCH: usize = 512;
/// The learning rate after the warm-up, which shrinks from there on.
const RATE: f32 = 0.005;
/// The number of steps until the full learning rate.
const WARM_UP: f32 = 50.0;

/// The learned parameters: a vector and a weight for each piece.
pub(super) struct Parameters {
    dimensions: usize,
    vectors: Vec<f32>,
    /// The logarithm of the weight of each piece, a factor besides the length of its vector.
    weights: Vec<f32>,
}

impl Parameters {
    /// Begins with the teacher's own vectors of the pieces, rare ones longer.
    pub(super) fn begin(mut vectors: Vec<f32>, dimensions: usize) -> Self {
        let pieces = vectors.len() / dimensions;
        let rarity = |piece: usize| (piece as f32).ln_1p();
        let mean = (0..pieces).map(rarity).sum::<f32>() / pieces.max(1) as f32;
        for (piece, vector) in vectors.chunks_exact_mut(dimensions).enumerate() {
            vector.iter_mut().for_each(|x| *x *= rarity(piece) / mean);
        }
        Self { dimensions, vectors, weights: vec![0.0; pieces] }
    }

    /// Learns from texts, cut into pieces, and their desired vectors. Deterministic: the same texts give the same result.
    pub(super) fn learn(&mut self, texts: &[Vec<u32>], wanted: &[f32]) {
        let mut order: Vec<usize> = (0..texts.len()).filter(|text| !texts[*text].is_empty()).collect();
        let mut random = fastrand::Rng::with_seed(1);
        let (mut of_vectors, mut of_weights) = (Adam::new(self.vectors.len()), Adam::new(self.weights.len()));
        let all = ROUNDS * order.len().div_ceil(BATCH);
        let mut step = 0;
        for round in 1..=ROUNDS {
            random.shuffle(&mut order);
            let mut distance = 0.0;
            for batch in order.chunks(BATCH) {
                step += 1;
                let rate = RATE * (step as f32 / WARM_UP).min(1.0) * (1.0 - step as f32 / all as f32) + 1e-5;
                let sums: Vec<f32> = batch.iter().flat_map(|text| self.sum(&texts[*text])).collect();
                let wanted: Vec<f32> =
                    batch.iter().flat_map(|text| row(wanted, *text, self.dimensions)).copied().collect();
                let (gradients, far) = gradients(&sums, &wanted, self.dimensions);
                distance += far * batch.len() as f32;
                for (piece, gradient) in self.by_piece(batch, texts, &gradients) {
                    self.move_piece(piece, &gradient, (&mut of_vectors, &mut of_weights), (step, rate));
                }
            }
            eprintln!("  round {round}: cosine {:.4}", 1.0 - distance / order.len().max(1) as f32);
        }
    }

    fn sum(&self, pieces: &[u32]) -> Vec<f32> {
        let mut sum = vec![0.0; self.dimensions];
        for piece in pieces {
            let weight = self.weights[*piece as usize].exp();
            let vector = row(&self.vectors, *piece as usize, self.dimensions);
            sum.iter_mut().zip(vector).for_each(|(sum, x)| *sum += weight * x);
        }
        sum
    }

    /// Returns the gradient of each piece of a batch, in the order of the pieces.
    fn by_piece(
        &self,
        batch: &[usize],
        texts: &[Vec<u32>],
        gradients: &[f32],
    ) -> std::collections::BTreeMap<u32, Vec<f32>> {
        let mut found = std::collections::BTreeMap::new();
        for (text, gradient) in batch.iter().zip(gradients.chunks_exact(self.dimensions)) {
            for piece in &texts[*text] {
                let sum = found.entry(*piece).or_insert_with(|| vec![0.0; self.dimensions]);
                sum.iter_mut().zip(gradient).for_each(|(sum, x): (&mut f32, _)| *sum += x);
            }
        }
        found
    }

    fn move_piece(
        &mut self,
        piece: u32,
        gradient: &[f32],
        (of_vectors, of_weights): (&mut Adam, &mut Adam),
        (step, rate): (i32, f32),
    ) {
        let at = piece as usize * self.dimensions;
        let weight = self.weights[piece as usize].exp();
        let along: f32 = gradient.iter().zip(&self.vectors[at..]).map(|(x, y)| x * y).sum();
        let of_vector: Vec<f32> = gradient.iter().map(|x| x * weight).collect();
        of_vectors.move_row(&mut self.vectors, at, &of_vector, step, rate);
        of_weights.move_row(&mut self.weights, piece as usize, &[along * weight], step, rate);
    }

    /// Returns the vectors multiplied by their weights, as used in sums.
    pub(super) fn into_vectors(self) -> Vec<Vec<f32>> {
        let weighted = self.vectors.chunks_exact(self.dimensions).zip(&self.weights);
        weighted.map(|(vector, weight)| vector.iter().map(|x| x * weight.exp()).collect()).collect()
    }
}

fn row(rows: &[f32], at: usize, dimensions: usize) -> &[f32] {
    &rows[at * dimensions..(at + 1) * dimensions]
}
