//! The addresses of `[replicas]`, `[console]` and `[telemetry]`.

use super::mistakes::check;
use expect_test::expect;

#[test]
fn a_replica_needs_an_address_that_others_reach() {
    check(
        "[replicas]\nlisten = \"0.0.0.0:7434\"\n",
        expect![[r#"
        2:10 "\"0.0.0.0:7434\""
          replicas.listen: other gateways cannot connect to 0.0.0.0:7434
          help: add replicas.advertise, such as "10.0.0.5:7434", or listen on one address"#]],
    );
    check(
        "[replicas]\nlisten = \"10.0.0.5\"\n",
        expect![[r#"
        2:10 "\"10.0.0.5\""
          replicas.listen: "10.0.0.5" is not an address: expected an IP address and a port, such as 127.0.0.1:7433"#]],
    );
    check(
        "[replicas]\nadvertise = \"gateway-1\"\n",
        expect![[r#"
        2:13 "\"gateway-1\""
          replicas.advertise: "gateway-1" is not an address: expected a host and a port, such as "10.0.0.5:7434""#]],
    );
    check(
        "[replicas]\nadvertise = \"gateway-1:7434\"\n",
        expect![[r#"
        2:13 "\"gateway-1:7434\""
          replicas.advertise: there is no address to listen on
          help: add replicas.listen"#]],
    );
}

#[test]
fn the_console_needs_a_proxy_for_other_machines() {
    check(
        "[console]\nlisten = \"0.0.0.0:7444\"\n",
        expect![[r#"
        2:10 "\"0.0.0.0:7444\""
          console.listen: browsers reach the console only through a proxy with TLS
          help: add console.origin, the address of the proxy, such as "https://console.example.com"
        2:10 "\"0.0.0.0:7444\""
          console.listen: others than the proxy can connect to 0.0.0.0:7444
          help: add console.proxies with the IP addresses of the proxy, or listen on 127.0.0.1"#]],
    );
    check(
        "[console]\norigin = \"http://console.example.com\"\nproxies = [\"10.0.0.5\"]\n",
        expect![[r#"
        2:10 "\"http://console.example.com\""
          console.origin: "http://console.example.com" is not an origin: expected https and a host, such as "https://console.example.com"
        2:10 "\"http://console.example.com\""
          console.origin: there is no address to listen on
          help: add console.listen
        3:11 "[\"10.0.0.5\"]"
          console.proxies: there is no address to listen on
          help: add console.listen"#]],
    );
}

#[test]
fn scopes_of_the_console_need_tokens() {
    check(
        "[console]\nlisten = \"127.0.0.1:7444\"\norigin = \"https://console.example.com\"\nviewer_scope = \"a b\"\napprover_scope = \"approve\"\n",
        expect![[r#"
        4:16 "\"a b\""
          console.viewer_scope: "a b" is not a scope: expected visible ASCII without quotes and backslashes
        4:16 "\"a b\""
          console.viewer_scope: there is nobody who issues tokens with scopes
          help: add http.oauth
        5:18 "\"approve\""
          console.approver_scope: there is nobody who issues tokens with scopes
          help: add http.oauth"#]],
    );
}

#[test]
fn metrics_for_other_machines_are_opened_on_purpose() {
    check(
        "[telemetry]\nmetrics = \"[::]:9464\"\nmetrics_tools = 0\n",
        expect![[r#"
        2:11 "\"[::]:9464\""
          telemetry.metrics: [::]:9464 can be reached from other machines, and metrics have no keys
          help: use 127.0.0.1, or set telemetry.metrics_open = true if something else keeps strangers out
        3:17 "0"
          telemetry.metrics_tools: 0 is out of bounds: expected 1 to 10000"#]],
    );
}
