//! Determines whether all tools that a caller may call take fewer tokens than the meta-tools.

use crate::{budget::Budget, catalogue::CatalogueView, meta_tools, tokens::TokenCounter};
use mgp_transport::seam::ToolView;
use std::sync::LazyLock;

/// The ratio of two lists' lengths above which the longer list has more tokens, regardless of content.
const CERTAIN: usize = 4;
/// The most tools of a catalogue that are checked. In a larger one, no caller's tools count as few.
const MAX_LOOKED_AT: usize = 10_000;

/// The length of the meta-tools' definitions, in bytes.
static META_BYTES: LazyLock<usize> =
    LazyLock::new(|| meta_tools::definitions(false).iter().map(|tool| tool.as_str().len()).sum());

/// Returns the tokens of the meta-tools' definitions.
#[must_use]
pub fn meta_tokens(counter: &dyn TokenCounter) -> u64 {
    meta_tools::definitions(false).iter().map(|tool| counter.count(tool.as_str())).sum()
}

/// Returns whether the tools that a caller may call take fewer tokens than the meta-tools, judging by the length of the
/// definitions. `None` if their tokens have to be counted. An empty list does not count as few: only the meta-tools can find
/// tools.
#[must_use]
pub fn are_few_by_length(catalogue: &CatalogueView, view: &dyn ToolView) -> Option<bool> {
    let (mut bytes, mut looked_at) = (0, 0);
    for named in catalogue.iter() {
        looked_at += 1;
        if looked_at > MAX_LOOKED_AT {
            return Some(false);
        }
        if view.sees(named.tool.id()) {
            bytes += named.tool.shown_as(&named.name, false).as_str().len();
        }
        if bytes > *META_BYTES * CERTAIN {
            return Some(false);
        }
    }
    match bytes {
        0 => Some(false),
        bytes if bytes * CERTAIN < *META_BYTES => Some(true),
        _ => None,
    }
}

/// Returns whether the tools that a caller may call take fewer than `most` tokens, in their form for plain hosts. No definition
/// is counted twice.
#[must_use]
pub fn take_fewer(catalogue: &CatalogueView, view: &dyn ToolView, budget: &Budget, most: u64) -> bool {
    let mut tokens = 0_u64;
    catalogue.iter().filter(|named| view.sees(named.tool.id())).all(|named| {
        tokens = tokens.saturating_add(budget.tokens(&named, false));
        tokens < most
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        catalogue::Catalogue,
        fixtures::{FILES, FewTools},
        tool::IndexedTool,
    };
    use mgp_transport::seam::FullVisibility;
    use mgp_types::{context::RiskLevel, json::RawJson};
    use std::sync::Arc;

    /// A token for each byte.
    #[derive(Debug)]
    struct Bytes;

    impl TokenCounter for Bytes {
        fn count(&self, text: &str) -> u64 {
            text.len() as u64
        }
    }

    async fn catalogue(definitions: &[String]) -> Arc<CatalogueView> {
        let catalogue = Catalogue::new(["files"]).unwrap();
        let tool = |text: &String| {
            let definition = RawJson::parse(text.clone()).unwrap();
            IndexedTool::new("files", &definition, RiskLevel::Moderate).unwrap()
        };
        catalogue.update_server("files", definitions.iter().map(tool).collect()).await.unwrap();
        catalogue.view()
    }

    /// Returns definitions of a length of about `bytes` each.
    fn of_length(count: usize, bytes: usize) -> Vec<String> {
        let text = "x ".repeat(bytes / 2);
        (0..count).map(|number| format!(r#"{{"name":"t{number}","description":"{text}"}}"#)).collect()
    }

    #[tokio::test]
    async fn a_short_or_long_list_is_judged_by_the_caller_s_view() {
        let short: Vec<_> = FILES.iter().map(ToString::to_string).collect();
        let short = catalogue(&short).await;
        assert_eq!(are_few_by_length(&short, &FullVisibility), Some(true));
        assert_eq!(are_few_by_length(&short, &FewTools::these(&[])), Some(false), "there are none");
        let middle = catalogue(&of_length(4, *META_BYTES / 4)).await;
        assert_eq!(are_few_by_length(&middle, &FullVisibility), None);
        let long = catalogue(&of_length(6, *META_BYTES)).await;
        assert_eq!(are_few_by_length(&long, &FullVisibility), Some(false));
        assert_eq!(are_few_by_length(&long, &FewTools::these(&["files.t0"])), None);
    }

    #[tokio::test]
    async fn fewer_tokens_are_fewer_than_those_of_the_meta_tools() {
        let budget = Budget::default().with_counter(Arc::new(Bytes));
        let view = catalogue(&of_length(2, 100)).await;
        let tokens: u64 = view.iter().map(|named| budget.tokens(&named, false)).sum();
        assert!(take_fewer(&view, &FullVisibility, &budget, tokens + 1));
        assert!(!take_fewer(&view, &FullVisibility, &budget, tokens));
        assert_eq!(meta_tokens(&Bytes), *META_BYTES as u64);
    }
}
