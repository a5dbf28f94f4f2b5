//! The last line that a server writes to stderr, in the error of a call under which its process ends.

use crate::{raw_host::As, support::start};
use mgp_kernel::{Endpoint, Era, ServerSpec};
use mgp_transport::child::ChildCommand;
use mgp_types::{access::DefaultPolicy, lifecycle::RestartPolicy};
use serde_json::json;

/// A server of shell builtins, whose tools end it: each after another last line.
const SERVER: &str = r#"
while IFS= read -r line; do
    id=${line#*\"id\":}; id=${id%%[,\}]*}
    case "$line" in
    *'"method":"initialize"'*)
        printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"1"}}}\n' "$id" ;;
    *'"method":"tools/list"'*)
        printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"coloured","inputSchema":{"type":"object"}},{"name":"long","inputSchema":{"type":"object"}},{"name":"silent","inputSchema":{"type":"object"}}]}}\n' "$id" ;;
    *'"name":"coloured"'*)
        printf 'not the last\nthe disk is \033[31mfull\n\n' >&2
        exit 1 ;;
    *'"name":"long"'*)
        text=0123456789abcdef; for i in 1 2 3 4 5 6; do text=$text$text; done
        printf '%s\n' "$text" >&2
        exit 1 ;;
    *'"name":"silent"'*) exit 1 ;;
    *'"id":'*)
        printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"none"}}\n' "$id" ;;
    esac
done
"#;

#[tokio::test]
async fn a_call_whose_server_dies_has_the_server_s_last_line() {
    let long = format!("{}…", &"0123456789abcdef".repeat(64)[..200]);
    for (tool, expected) in
        [("coloured", Some(r"the disk is \u{1b}[31mfull")), ("long", Some(&*long)), ("silent", None)]
    {
        let command = ChildCommand::new("shell", "sh").args(["-c", SERVER]);
        let mut spec = ServerSpec::new("shell", Endpoint::Child(command));
        spec.default_policy = DefaultPolicy::OptOut;
        spec.restart.restart_policy = RestartPolicy::Never;
        let setup = start(|kernel, _| kernel.server(spec)).await;
        let mut host = setup.raw_host(As::plain(Era::Initialize)).await;
        let died = host.refused("tools/call", json!({"name": tool, "arguments": {}})).await;
        let message = died["message"].as_str().unwrap();
        assert!(message.starts_with("server \"shell\": "), "{died}");
        let line = message.split_once("; it last wrote to stderr: ").map(|(_, line)| line);
        assert_eq!(line, expected, "{died}");
    }
}
