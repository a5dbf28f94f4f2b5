//! §2.2, §2.3 What the kernel offers to servers, and what it answers to hosts.

use crate::{
    raw_host::{As, ERAS},
    raw_server::RawServer,
    support::{open, start},
};
use mgp_kernel::Era;
use mgp_types::permission::{PermissionState, StandardPermission};
use serde_json::{Value, json};

/// The `mgp` objects among capabilities.
fn carried(capabilities: &Value, era: Era) -> Vec<&Value> {
    match era {
        Era::Initialize => vec![&capabilities["mgp"], &capabilities["experimental"]["mgp"]],
        Era::Stateless => vec![&capabilities["extensions"]["dev.cloto/mgp"]],
    }
}

#[track_caller]
fn has(mgp: &Value, expected: &[&str]) {
    assert_eq!(mgp["version"], "0.3.0", "{mgp}");
    let names: Vec<_> = mgp["extensions"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    for name in expected {
        assert!(names.contains(name), "{name}: {names:?}");
    }
}

#[tokio::test]
async fn mgp_is_offered_to_a_server_in_the_form_of_its_era() {
    for era in ERAS {
        let server = RawServer::new(era, json!({"tools": {}}), |_| None);
        let _setup = start(|kernel, _| kernel.server(server.spec("srv"))).await;
        let first = &server.read()[0]["params"];
        let capabilities = match era {
            Era::Initialize => &first["capabilities"],
            Era::Stateless => &first["_meta"]["io.modelcontextprotocol/clientCapabilities"],
        };
        for mgp in carried(capabilities, era) {
            let names =
                ["security", "permissions", "audit", "code_safety", "lifecycle", "streaming", "events"];
            has(mgp, &names);
        }
    }
}

#[tokio::test]
async fn a_host_of_each_era_gets_the_kernel_s_version_and_extensions() {
    for era in ERAS {
        let setup = open().await;
        let mut host = setup.raw_host(As::mgp(era)).await;
        let answer = match era {
            Era::Initialize => host.greeting["result"].clone(),
            Era::Stateless => host.get("server/discover", json!({})).await,
        };
        for mgp in carried(&answer["capabilities"], era) {
            has(
                mgp,
                &[
                    "security",
                    "access_control",
                    "audit",
                    "code_safety",
                    "lifecycle",
                    "events",
                    "discovery",
                    "tool_discovery",
                ],
            );
            assert_eq!(mgp["server_id"], "mgp.kernel", "{mgp}");
            assert_eq!((mgp.get("permissions_required"), mgp.get("trust_level")), (None, None), "{mgp}");
        }
    }
}

#[tokio::test]
async fn a_host_s_claim_of_permissions_is_acknowledged_but_ignored() {
    for era in ERAS {
        let setup = open().await;
        let mut host = setup.raw_host(As::mgp(era)).await;
        let wait = json!({"request_id": "p1", "permissions": ["camera"], "policy": "interactive"});
        let decision = json!({"request_id": "p1", "grants": {"camera": "approved"}, "approved_by": "host"});
        for (method, params) in [
            ("mgp/permission/request", &wait),
            ("mgp/permission/await", &wait),
            ("mgp/permission/response", &decision),
            ("mgp/permission/grant", &decision),
        ] {
            let answer = host.get(method, params.clone()).await;
            assert_eq!(
                (&answer["request_id"], &answer["acknowledged"]),
                (&json!("p1"), &json!(true)),
                "{method}"
            );
        }
        let state = setup.kernel.permissions().state("test", &StandardPermission::Camera.into());
        assert_eq!(state, PermissionState::Deferred, "{era:?}");
    }
}
