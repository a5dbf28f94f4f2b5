//! §16.3 The exposure by category, and looking through categories, in both eras.

use crate::{
    raw_host::{As, ERAS, RawHost},
    support::{rule, spec_of_sessions, start},
};
use mgp_kernel::Era;
use mgp_toolindex::{exposure::Exposure, meta_tools};
use mgp_types::access::AccessDecision;
use serde_json::{Value, json};

/// Starts a kernel whose server is filed under a category of the configuration.
async fn kernel() -> crate::support::Setup {
    start(|kernel, signals| {
        let mut spec = spec_of_sessions("test", signals);
        spec.categories = vec!["Work / Numbers".to_owned()];
        kernel.server(spec).config(|config| {
            config.kernel.exposure = Exposure::Category;
            config.kernel.pinned = ["add"].map(String::from).into();
        })
    })
    .await
}

/// Returns the description of the search in the list of tools.
async fn said(host: &mut RawHost) -> String {
    let list = host.get("tools/list", json!({})).await;
    let tools = list["tools"].as_array().unwrap();
    assert_eq!(
        tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect::<Vec<_>>(),
        meta_tools::NAMES
    );
    tools[0]["description"].as_str().unwrap().to_owned()
}

fn counted(answer: &Value) -> Vec<String> {
    let categories = answer["_mgp"]["categories"]["categories"].as_array().unwrap();
    let each = categories.iter().map(|of| format!("{}={}", of["category"].as_str().unwrap(), of["tools"]));
    each.collect()
}

#[tokio::test]
async fn the_list_names_categories_and_the_search_filters_by_them() {
    for era in ERAS {
        let setup = kernel().await;
        let mut host = setup.raw_host(As::plain(era)).await;
        let description = said(&mut host).await;
        assert!(description.contains(": test 4, work 4. To look"), "{description}");
        for below in [json!({}), json!({"categories": ["work"]}), json!({"categories": ["work/numbers"]})] {
            let params = json!({"query": "", "strategy": "category", "filter": below, "max_results": 50});
            let by_method = host.get("mgp/tools/discover", params.clone()).await;
            let by_tool = host.call("mgp_tools_discover", params).await["structuredContent"].clone();
            let expected: (&[&str], usize) = match below["categories"][0].as_str() {
                None => (&["test=4", "work=4"], 0),
                Some("work") => (&["work/numbers=4"], 4),
                Some(_) => (&[], 4),
            };
            for answer in [by_method, by_tool] {
                let found = answer["tools"].as_array().unwrap().len();
                assert_eq!(
                    (counted(&answer), found),
                    (expected.0.iter().map(ToString::to_string).collect(), expected.1)
                );
            }
        }
    }
}

#[tokio::test]
async fn a_host_is_notified_of_categories_within_its_agent_s_tools() {
    let setup = kernel().await;
    let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
    host.after_start().await;
    setup.kernel.access().put(rule("test", Some("add"), AccessDecision::Deny)).await.unwrap();
    host.hear("notifications/tools/list_changed").await;
    let description = said(&mut host).await;
    assert!(description.contains(": test 3, work 3. To look"), "{description}");
    setup.kernel.access().put(rule("test", None, AccessDecision::Deny)).await.unwrap();
    host.hear("notifications/tools/list_changed").await;
    assert!(!said(&mut host).await.contains("test"), "a category without tools does not exist");
}
