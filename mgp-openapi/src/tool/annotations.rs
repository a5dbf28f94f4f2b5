//! Hints about a tool's effects, by its method.

use crate::operation::Method;
use mgp_types::mcp::ToolAnnotations;

/// Returns the hints for a method. A hint that the method does not decide is absent.
pub(super) fn annotations(method: Method) -> ToolAnnotations {
    ToolAnnotations {
        title: None,
        read_only_hint: Some(method.is_safe()),
        // A POST or PATCH may destroy or only add, and a PUT replaces.
        destructive_hint: (method == Method::Delete).then_some(true),
        idempotent_hint: matches!(method, Method::Put | Method::Delete).then_some(true),
        open_world_hint: Some(true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_method_decides_only_the_hints_that_are_certain() {
        let hints = |method| {
            let hints = annotations(method);
            (hints.read_only_hint, hints.destructive_hint, hints.idempotent_hint, hints.open_world_hint)
        };
        for method in [Method::Get, Method::Head, Method::Options] {
            assert_eq!(hints(method), (Some(true), None, None, Some(true)));
        }
        assert_eq!(hints(Method::Put), (Some(false), None, Some(true), Some(true)));
        assert_eq!(hints(Method::Delete), (Some(false), Some(true), Some(true), Some(true)));
        for method in [Method::Post, Method::Patch] {
            assert_eq!(hints(method), (Some(false), None, None, Some(true)));
        }
    }
}
