//! Cuts results to the available room: fewer results, each whole.

use mgp_types::tool_index::{CutResults, TooLarge};

/// Results that fit, and a note of those left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut<T> {
    /// The results that fit, in their original order.
    pub kept: Vec<T>,
    /// The note of the results left out. `None` if all fit.
    pub note: Option<CutResults>,
}

/// Keeps the first results that fit into `room` tokens in total.
///
/// A result that is larger than the whole room could never be shown, so it does not block the results after it: it is left out
/// and named in the note. From the first other result that no longer fits, everything is left out, so the best results are kept.
/// `price` returns the tokens of a result, `name` its name.
pub fn cut<T>(results: Vec<T>, room: u64, price: impl Fn(&T) -> u64, name: impl Fn(&T) -> String) -> Cut<T> {
    let (mut kept, mut too_large) = (Vec::new(), Vec::new());
    let (mut left, mut left_out, mut full) = (room, 0, false);
    for result in results {
        let tokens = price(&result);
        if tokens > room {
            too_large.push(TooLarge { name: name(&result), tokens });
            left_out += 1;
        } else if full || tokens > left {
            full = true;
            left_out += 1;
        } else {
            left -= tokens;
            kept.push(result);
        }
    }
    let note = (left_out > 0).then_some(CutResults { left_out, reserve: room, too_large });
    Cut { kept, note }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(prices: &[u64], kept: &[u64], left_out: u64, too_large: &[u64]) {
        let cut = cut(prices.to_vec(), 10, |price| *price, ToString::to_string);
        assert_eq!(cut.kept, kept, "{prices:?}");
        let note = cut.note.unwrap_or(CutResults { left_out: 0, reserve: 10, too_large: Vec::new() });
        assert_eq!((note.left_out, note.reserve), (left_out, 10), "{prices:?}");
        assert_eq!(note.too_large.iter().map(|large| large.tokens).collect::<Vec<_>>(), too_large);
    }

    #[test]
    fn a_tool_that_does_not_fit_is_left_out_and_not_replaced() {
        check(&[], &[], 0, &[]);
        check(&[4, 6], &[4, 6], 0, &[]);
        check(&[4, 7, 1], &[4], 2, &[]);
        check(&[10, 1], &[10], 1, &[]);
    }

    #[test]
    fn a_tool_larger_than_all_space_is_named_and_blocks_nobody() {
        check(&[11], &[], 1, &[11]);
        check(&[11, 4, 50, 6, 1], &[4, 6], 3, &[11, 50]);
    }
}
