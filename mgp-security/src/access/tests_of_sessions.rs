//! Tests of servers that belong to one session of a host.

use super::{tests::rule, *};
use mgp_transport::seam::Visibility;
use mgp_types::{
    access::AccessDecision::{Allow, Deny},
    context::{Principal, SessionTag, ToolId},
};
use std::sync::Arc;

const OWN: SessionTag = SessionTag::new([1; 16]);
const OTHER: SessionTag = SessionTag::new([2; 16]);

async fn control() -> AccessControl {
    let control = AccessControl::open(Arc::new(SqlAccessStore::in_memory())).await.unwrap();
    control.add_agent("ann");
    control.set_session_server("s", OWN);
    control
}

/// Returns whether a principal may use the tool and sees it, which must agree.
fn may(control: &AccessControl, principal: &Principal) -> bool {
    let tool = ToolId::new("s", "t");
    let (may, view) = (control.authorize(principal, &tool).is_ok(), control.view(principal));
    assert_eq!(may, view.sees(&tool));
    assert_eq!(view.sees_all_tools("s"), None, "each tool is judged");
    assert!(!view.sees_server("s"));
    may
}

#[tokio::test]
async fn a_session_s_server_is_that_session_s_only() {
    let control = control().await;
    let ann = Principal::agent("ann");
    for with_grants in [false, true] {
        assert!(may(&control, &ann.in_session(OWN)));
        assert!(!may(&control, &ann));
        assert!(!may(&control, &ann.in_session(OTHER)));
        assert!(!may(&control, &Principal::operator("ann")));
        // The others in a chain have no session.
        assert!(!may(&control, &ann.in_session(OWN).on_behalf_of(["bob"])));
        assert!(!may(&control, &ann.in_session(OWN).caller()));
        if !with_grants {
            control.put(rule("ann", None, Allow)).await.unwrap();
            control.put(rule("ann", Some("t"), Allow)).await.unwrap();
        }
    }
    control.remove_server("s");
    assert!(control.authorize(&ann.in_session(OWN), &ToolId::new("s", "t")).is_err());
}

#[tokio::test]
async fn a_denying_rule_counts_in_the_session_too() {
    for tool in [None, Some("t")] {
        let control = control().await;
        control.put(rule("ann", tool, Deny)).await.unwrap();
        assert!(!may(&control, &Principal::agent("ann").in_session(OWN)));
    }
}
