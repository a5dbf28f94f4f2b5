//! Searches for the largest value of a function, one variable at a time, in decreasing steps.

/// Returns the best point. The same function gives the same point.
pub(super) fn climb<const N: usize>(start: [f32; N], value: impl Fn(&[f32; N]) -> f64) -> [f32; N] {
    let (mut point, mut most) = (start, value(&start));
    for step in [1.0, 0.5, 0.25, 0.12, 0.06, 0.03] {
        loop {
            let before = most;
            for i in 0..N {
                for step in [step, -step] {
                    let mut next = point;
                    next[i] += step;
                    let found = value(&next);
                    if found > most {
                        (point, most) = (next, found);
                    }
                }
            }
            if most - before < 1e-6 {
                break;
            }
        }
    }
    point
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_top_of_a_hill_is_found() {
        let top = climb([0.0, 0.0], |[x, y]| -f64::from((x - 1.3).powi(2) + (y + 0.7).powi(2) + 0.3 * x * y));
        let value = |[x, y]: [f32; 2]| (x - 1.3).powi(2) + (y + 0.7).powi(2) + 0.3 * x * y;
        assert!(value(top) < value([1.3, -0.7]), "{top:?}");
    }
}
