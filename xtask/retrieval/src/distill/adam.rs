//! The optimiser Adam, over rows that are updated occasionally.

const FIRST: f32 = 0.9;
const SECOND: f32 = 0.999;

/// The optimiser's state for each number that is learned.
pub(super) struct Adam {
    first: Vec<f32>,
    second: Vec<f32>,
}

impl Adam {
    pub(super) fn new(numbers: usize) -> Self {
        Self { first: vec![0.0; numbers], second: vec![0.0; numbers] }
    }

    /// Moves the numbers from `at` on against their gradient. `step` counts from 1.
    pub(super) fn move_row(
        &mut self,
        numbers: &mut [f32],
        at: usize,
        gradient: &[f32],
        step: i32,
        rate: f32,
    ) {
        let (fix_first, fix_second) = (1.0 - FIRST.powi(step), 1.0 - SECOND.powi(step));
        let rows =
            self.first[at..].iter_mut().zip(&mut self.second[at..]).zip(&mut numbers[at..]).zip(gradient);
        for (((first, second), number), gradient) in rows {
            *first = FIRST * *first + (1.0 - FIRST) * gradient;
            *second = SECOND * *second + (1.0 - SECOND) * gradient * gradient;
            *number -= rate * (*first / fix_first) / ((*second / fix_second).sqrt() + 1e-8);
        }
    }
}
