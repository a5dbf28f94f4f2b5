//! A server in plain shell, so that many start quickly.

use crate::support::{Host, User};
use serde_json::json;

/// A server of one tool, in plain shell, so that many start quickly. Its tool says the id of its process. A second argument is the URI of a
/// resource that it lists.
pub(crate) const SCRIPT: &str = r#"
wait_for_end() {
  looks=0
  until [ -e "$1" ] || [ $looks -ge 600 ]; do looks=$((looks + 1)); sleep 0.2; done
}
resources=
[ -z "$2" ] || resources=',"resources":{}'
while IFS= read -r line; do
  id=${line#*\"id\":}; id=${id%%[,\}]*}
  case $line in
    *'"method":"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}'$resources'},"serverInfo":{"name":"s","version":"1"}}' ;;
    *'"method":"tools/list"'*) result='{"tools":[{"name":"look_'$1'","description":"Looks at '$1'","inputSchema":{"type":"object"}}]}' ;;
    *'"method":"resources/list"'*) result='{"resources":[{"uri":"'$2'","name":"one"}]}' ;;
    *'"method":"tools/call"'*)
      case $line in *'"slow":true'*) wait_for_end "$0.ends" ;; esac
      result='{"content":[{"type":"text","text":"process '$$'"}]}' ;;
    *'"id":'*) result='{}' ;;
    *) continue ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
"#;

/// Returns the `[[servers]]` table of a server whose tool is `look_PLACE`; `more` goes into its settings for MGP.
pub(crate) fn table(user: &User, id: &str, place: &str, more: &str) -> String {
    user.write("server.sh", SCRIPT);
    let script = user.path("server.sh");
    format!(
        "[[servers]]\nid = {id:?}\ncommand = \"sh\"\nargs = [{:?}, {place:?}]\n[servers.mgp]\nera = \"initialize\"\n{more}\n",
        script.to_str().unwrap()
    )
}

/// Lets calls end that have the argument `slow`, which otherwise take two minutes.
pub(crate) fn end_slow_calls(user: &User) {
    user.write("server.sh.ends", "");
}

/// Calls the tool of a server, and returns the process that it says.
pub(crate) fn call(host: &mut Host, id: i64, tool: &str) -> String {
    host.call(id, "mgp_tools_call", &json!({ "name": tool, "arguments": {} }));
    let reply = host.reply(id);
    reply["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{reply}")).to_owned()
}
