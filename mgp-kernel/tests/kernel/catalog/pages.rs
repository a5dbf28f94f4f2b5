//! Servers whose lists come in pages.

use crate::{
    raw_host::{As, ERAS},
    raw_server::{RawServer, error, result},
    support::{full, server_rule, start},
};
use mgp_kernel::Era;
use serde_json::{Value, json};

/// The lists: a method, the key of its entries, the key of an entry's name, and the prefix of the names.
const LISTS: [(&str, &str, &str, &str); 4] = [
    ("tools/list", "tools", "name", "tool_"),
    ("resources/list", "resources", "uri", "x:"),
    ("resources/templates/list", "resourceTemplates", "uriTemplate", "x:{id}/"),
    ("prompts/list", "prompts", "name", "prompt_"),
];
/// The number of pages of each list.
const PAGES: usize = 3;

/// Returns a server with one entry on each page, whose cursors cannot be guessed.
fn paged(era: Era) -> RawServer {
    RawServer::new(era, json!({"tools": {}, "resources": {}, "prompts": {}}), |message| {
        let (_, entries, name, start) = LISTS.iter().find(|(method, ..)| message["method"] == *method)?;
        let cursor = |page: usize| format!("{entries} after {page}");
        let page = match &message["params"]["cursor"] {
            Value::Null => 0,
            given => match (1..PAGES).find(|page| *given == cursor(*page)) {
                Some(page) => page,
                None => return Some(vec![error(message, -32602, "no such cursor")]),
            },
        };
        let mut listed = json!({});
        listed[entries] = json!([{"name": "n", "inputSchema": {"type": "object"}}]);
        listed[entries][0][name] = format!("{start}{page}").into();
        if page + 1 < PAGES {
            listed["nextCursor"] = cursor(page + 1).into();
        }
        Some(vec![result(message, listed)])
    })
}

#[tokio::test]
async fn all_pages_of_a_server_reach_hosts_as_one() {
    for server_era in ERAS {
        let server = paged(server_era);
        let setup = start(|kernel, _| kernel.server(server.spec("srv")).config(full)).await;
        setup.kernel.access().put(server_rule("agent.test", "srv")).await.unwrap();
        for host_era in ERAS {
            let mut host = setup.raw_host(As::plain(host_era)).await;
            for (method, entries, name, start) in LISTS {
                let listed = host.get(method, json!({})).await;
                let names: Vec<_> =
                    listed[entries].as_array().unwrap().iter().map(|listed| &listed[name]).collect();
                let own = (entries == "resources").then(|| "mgp://manifest".to_owned());
                let expected: Vec<_> = (0..PAGES).map(|page| format!("{start}{page}")).chain(own).collect();
                assert_eq!(json!(names), json!(expected), "{method} {host_era:?} {server_era:?}");
                assert!(listed.get("nextCursor").is_none(), "{method}: {listed}");
            }
        }
    }
}
