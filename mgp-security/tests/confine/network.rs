//! The network of a confined process.

use crate::support::Rig;
use mgp_security::{
    audit::MemorySink,
    confine::{Confinement, ConfinementMode, EGRESS_PORT, EgressRefusals, HostRule, LandlockAbi},
};
use mgp_transport::egress::EgressProxy;
use mgp_types::permission::StandardPermission::{NetworkListen, NetworkOutbound};
use std::{fs, net::TcpListener, sync::Arc};

/// Connects to a listener of the test without the proxy, and notes whether that succeeded.
async fn connects(rig: &Rig) -> bool {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    rig.run(&format!("{{ exec 3<>/dev/tcp/127.0.0.1/{port}; }} 2>/dev/null && echo yes > out")).await
        == "yes\n"
}

#[tokio::test]
async fn only_the_configuration_opens_the_local_network() {
    assert!(!connects(&Rig::new()).await);
    assert!(!connects(&Rig { approved: vec![NetworkOutbound], ..Rig::new() }).await);
    let mut rig = Rig::new();
    rig.settings.network = Some(true);
    assert!(connects(&rig).await);
}

#[tokio::test]
async fn local_sockets_are_visible_only_with_the_local_network() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = format!(":{:04X} ", listener.local_addr().unwrap().port());
    // A list that changes while it is read may lack lines, so it is read several times, and each time at once: `read` has the system make
    // the list again for each line.
    let list =
        r#"for i in {1..20}; do mapfile lines < /proc/self/net/tcp; printf '%s' "${lines[@]}"; done > out"#;
    for (network, hosts) in
        [(None, None), (None, Some(vec!["127.0.0.1".parse().unwrap()])), (Some(true), None)]
    {
        let mut rig = Rig::new();
        (rig.settings.network, rig.settings.hosts) = (network, hosts);
        let sockets = rig.run(list).await;
        assert!(sockets.contains("local_address"), "{sockets}");
        assert_eq!(sockets.contains(&port), network == Some(true), "{sockets}");
    }
}

#[tokio::test]
async fn a_server_that_may_only_listen_connects_nowhere() {
    for landlock in (1..=6).filter_map(LandlockAbi::from_number) {
        assert!(
            !connects(&Rig { approved: vec![NetworkListen], landlock, ..Rig::new() }).await,
            "{landlock}"
        );
    }
    let mut rig = Rig::new();
    rig.settings.ports = Some(vec![1]);
    assert!(!connects(&rig).await);
}

#[tokio::test]
async fn limited_ports_need_a_landlock_that_restricts_tcp() {
    for (number, is_complete) in [(1, false), (3, false), (4, true)] {
        let mut rig = Rig { landlock: LandlockAbi::from_number(number).unwrap(), ..Rig::new() };
        rig.settings.ports = Some(vec![8080]);
        let started = rig.start("echo x > out", rig.setup()).await;
        assert_eq!(started.is_ok(), is_complete, "{started:?}");
        if let Err(error) = started {
            let text = error.to_string();
            for part in
                ["[8080]", "confinement.ports", "Landlock ABI 4 (Linux 6.7), and this machine has ABI"]
            {
                assert!(text.contains(part), "{part}: {text}");
            }
        }
        rig.settings.mode = Some(ConfinementMode::BestEffort);
        assert!(rig.start("", rig.setup()).await.is_ok());
    }
}

/// Asks the proxy for a listener of the test, for which a rule with its port is made, and returns the first line of the answer, the
/// variable that names the proxy, and the number of events.
async fn asks_the_proxy(rule: &str, setting: impl Fn(&mut Rig, HostRule)) -> (String, usize) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let mut rig = Rig::new();
    setting(&mut rig, rule.replace("{port}", &port.to_string()).parse().unwrap());
    let audit = Arc::new(MemorySink::new(10));
    let confinement = Confinement::new("s", rig.profile("bash")).unwrap();
    let confinement = confinement.egress(EgressProxy::new().observer(EgressRefusals::new(audit.clone())));
    let ask = format!(
        r#"{{ exec 3<>/dev/tcp/127.0.0.1/{EGRESS_PORT}; }} 2>/dev/null || exit
        printf 'CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\n' >&3
        IFS=$'\r' read -r line <&3; echo "$line $HTTPS_PROXY" > out"#
    );
    rig.start(&ask, Arc::new(confinement)).await.unwrap();
    (fs::read_to_string(rig.private().join("out")).unwrap_or_default(), audit.events().len())
}

#[tokio::test]
async fn listed_hosts_are_reached_through_the_proxy() {
    let (answer, events) =
        asks_the_proxy("127.0.0.1:{port}", |rig, rule| rig.settings.hosts = Some(vec![rule])).await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert!(answer.trim_end().ends_with(&format!("http://127.0.0.1:{EGRESS_PORT}")), "{answer}");
    assert_eq!(events, 0);
}

#[tokio::test]
async fn other_hosts_and_local_ones_are_refused_and_recorded() {
    let other = asks_the_proxy("127.0.0.2", |rig, rule| rig.settings.hosts = Some(vec![rule])).await;
    let public = asks_the_proxy("*", |rig, _| rig.approved = vec![NetworkOutbound]).await;
    for (answer, events) in [other, public] {
        assert!(answer.starts_with("HTTP/1.1 403"), "{answer}");
        assert_eq!(events, 1);
    }
    let (none, _) = asks_the_proxy("*", |_, _| ()).await;
    assert_eq!(none, "");
}

#[tokio::test]
async fn hosts_are_reached_only_through_the_proxy() {
    let mut rig = Rig::new();
    rig.settings.hosts = Some(vec!["127.0.0.1".parse().unwrap()]);
    assert!(!connects(&rig).await);
    // Neither by UDP, nor on another port of its own network.
    let out = rig
        .run(
            r#"{ exec 3>/dev/udp/127.0.0.1/9; } 2>/dev/null; echo $? > out
            { exec 3<>/dev/tcp/127.0.0.1/9; } 2>&1 | { read -r line; echo "$line" >> out; }"#,
        )
        .await;
    assert!(out.starts_with("1\n") && out.contains("Permission denied"), "{out}");
}
