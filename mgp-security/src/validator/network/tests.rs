//! Tests of hosts in every form.

use super::{check::judge_leaf, host::Finding, siblings::Siblings};
use crate::{meter::steps_of, validator::Leaf};

fn finding(pointer: &str, text: &str) -> Finding {
    let leaf = Leaf::new(pointer, text);
    judge_leaf(&leaf, &Siblings::new(std::slice::from_ref(&leaf)), 1)
}

fn reaches(pointer: &str, text: &str) -> bool {
    finding(pointer, text).is_found()
}

fn is_refused(pointer: &str, text: &str) -> bool {
    matches!(finding(pointer, text), Finding::Certain(_))
}

#[test]
fn public_hosts_and_ordinary_texts_pass() {
    for (pointer, text) in [
        ("/url", "https://example.com/a?b=http://example.org"),
        ("/url", "http://8.8.8.8:53/x"),
        ("/host", "example.com"),
        ("/ip", "1.1.1.1"),
        ("/url", "http://[2606:4700::1111]/"),
        ("/port", "8080"),
        ("/text", "the local time, 127 people, 10.5 degrees"),
        ("/text", "see https://example.com/localhost for more"),
        ("/path", "src//main.rs"),
        ("/version", "1.2.3"),
        ("/version", "0.1.2.3"),
        ("/section", "10.1.2.3"),
        ("/domain", "local"),
        ("/origin", "JFK"),
        ("/image", "redis:7"),
        ("/location", "src/main.rs:10:5"),
        ("/target", "//app:server"),
        ("/url", "/docs/getting-started"),
        ("/command", "sleep 0.5"),
        ("/code", "x[::5]"),
        ("/text", "[https://example.com], (https://example.org), {https://a.example}"),
        ("/text", ""),
    ] {
        assert!(!reaches(pointer, text), "{pointer} {text}");
    }
}

#[test]
fn local_and_private_addresses_are_refused_in_every_form() {
    for host in [
        "localhost",
        "LOCALHOST.",
        "a.localhost",
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0x7f.1",
        "017700000001",
        "0177.0.0.1",
        "0",
        "0.0.0.0",
        "10.1.2.3",
        "172.16.0.1",
        "172.31.255.255",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::7f00:1]",
        "[64:ff9b::a00:1]",
        "[2002:7f00:1::]",
        "[fd00:ec2::254]",
        "[fe80::1]",
        "[2001::1]",
        "metadata.google.internal",
        "metadata.goog",
        "printer.local",
        "vault.corp",
        "redis",
        "127.0.0.1.nip.io",
        "１２７.0.0.1",
        "①②⑦。0.0.1",
        "user:pass@127.0.0.1",
        "example.com@127.0.0.1",
        "127.0.0.1:8080",
        "127.0.0.1/x?y#z",
        "%31%32%37.0.0.1",
    ] {
        for text in [format!("http://{host}"), format!("gopher://{host}")] {
            assert!(is_refused("/url", &text), "{text}");
        }
        for text in [format!("HTTP:{host}"), format!("//{host}")] {
            assert!(reaches("/url", &text), "{text}");
        }
        assert!(reaches("/text", &format!("please fetch (https://{host}) now")), "{host}");
        assert!(reaches("/host", host), "{host}");
    }
}

#[test]
fn tricks_with_slashes_line_breaks_and_schemes_do_not_help() {
    for text in [
        r"http:\\127.0.0.1",
        "http:///127.0.0.1",
        "http:/\\127.0.0.1",
        "ht\ntp://127.0.0.1",
        "http://127.0\t.0.1",
        "file:///etc/passwd",
        "FILE:/etc/passwd",
        "http://",
        "http://[::1",
        "http://example.com,http://127.1",
        "http://a)@127.0.0.1/",
        r"http://redis\@example.com/",
        "http://%2531%2532%2537.0.0.1/",
        "http://loc&#97;lhost/",
    ] {
        assert!(reaches("/url", text), "{text:?}");
    }
}

#[test]
fn a_bare_address_is_found_in_any_member() {
    for text in ["127.0.0.1", "10.0.0.1:22", "::1", "localhost", "localhost:3000/x", "redis:6379", "10.0.0.*"]
    {
        assert!(reaches("/text", text), "{text}");
    }
}

#[test]
fn the_member_decides_whether_a_name_without_a_dot_is_a_host() {
    for (pointer, text, found) in [
        ("/host", "redis", true),
        ("/upstream", "backend", true),
        ("/dbHost", "db", true),
        ("/site", "ebay", false),
        ("/name", "redis", false),
        ("/host", "Ada Lovelace", false),
    ] {
        assert_eq!(reaches(pointer, text), found, "{pointer} {text}");
    }
}

#[test]
fn a_port_or_a_name_next_to_a_value_makes_it_a_host() {
    let leaves = [Leaf::new("/target", "dc01"), Leaf::number("/port", 445.0)];
    assert!(judge_leaf(&leaves[0], &Siblings::new(&leaves), 1).is_found());
    let leaves = [Leaf::new("/0/name", "REDIS_HOST"), Leaf::new("/0/value", "cache")];
    assert!(judge_leaf(&leaves[1], &Siblings::new(&leaves), 1).is_found());
    let leaves = [Leaf::new("/args/0", "-h"), Leaf::new("/args/1", "cache")];
    assert!(Siblings::new(&leaves).judge().is_found());
}

#[test]
fn hosts_in_commands_and_code_are_doubtful() {
    for (pointer, text) in [
        ("/command", "curl redis"),
        ("/command", "curl \"loc\"\"alhost\""),
        ("/command", "ssh -J bastion example.com"),
        ("/command", "curl $(hostname)"),
        ("/command", "docker run alpine nc redis 6379"),
        ("/code", "connect(('redis', 6379))"),
        ("/code", "get('http://' + 'local' + 'host')"),
        ("/code", "'.'.join(map(str, [127, 0, 0, 1]))"),
        ("/body", r#"{"hosts":["example.com","10.1"]}"#),
        ("/yaml", "redis:\n  host: cache\n  port: 1"),
        ("/path", r"\\fileserver\share"),
        ("/file", "/run/docker.sock"),
    ] {
        assert!(reaches(pointer, text), "{pointer} {text}");
    }
}

#[test]
fn a_text_of_nothing_but_marks_costs_bounded_steps_per_byte() {
    /// The most steps for each byte. Work that grows with the square of the length is past the limit.
    const STEPS_PER_BYTE: u64 = 1024;

    let of = |part: &str| part.repeat((1 << 14) / part.len());
    for text in [
        of(":"),
        of("="),
        of("@"),
        of("/"),
        of("'"),
        of("\\/"),
        of("//a"),
        of("//@"),
        of("a:"),
        of("tcp:"),
        of("host:"),
        of("host: "),
        of("host=\""),
        of("a@"),
        of("a,"),
        of("x.sock"),
        of("①"),
        of("{\"a\":"),
        format!("http://{}", of("a@")),
        format!("http://{}", of("@/")),
        format!("//127.0.0.1?{}", of("@")),
    ] {
        for pointer in ["/text", "/url", "/command"] {
            let (_, steps) = steps_of(|| reaches(pointer, &text));
            let limit = STEPS_PER_BYTE * text.len() as u64;
            assert!((1..=limit).contains(&steps), "{pointer} {:?}: {steps} steps", text.get(..8));
        }
    }
}

#[test]
fn a_text_too_long_to_judge_is_refused_where_a_host_belongs() {
    let long = "a".repeat(9000);
    for text in [
        format!("http://{long}@127.0.0.1/"),
        format!("http://{}127.0.0.1/", "a@".repeat(5000)),
        format!("http://{long}.example/"),
        format!("host={long}@127.0.0.1"),
        "host:".repeat(1 << 18),
    ] {
        assert!(is_refused("/text", &text), "{} ...", &text[..20]);
    }
    for text in [
        format!("https://example.com/{long}"),
        format!("https://example.com?x={}", &long[..5000]),
        format!("see url=https://example.com/{long}?host=example.org#{} for {long}", &long[..100]),
        "host:example.org ".repeat(1 << 14),
        long.clone(),
    ] {
        assert!(!reaches("/text", &text), "{} ...", &text[..20]);
    }
    assert!(!reaches("/url", &format!("https://example.com/{long}")));
    assert!(is_refused("/host", &long));
}

#[test]
fn a_text_with_nested_hosts_is_refused() {
    for (pointer, place) in [("/url", "https:"), ("/text", "host:"), ("/text", "= ")] {
        let (few, many) = (place.repeat(3), place.repeat(4000));
        assert!(!is_refused(pointer, &few), "{few}");
        let Finding::Certain(reason) = finding(pointer, &many) else { panic!("{place} passes many times") };
        assert_eq!(reason, "too many places where a host can stand", "{place}");
    }
}

#[test]
fn rows_of_marks_pass() {
    for mark in ["=", "==", "-", "//", "\n====\n", ":: "] {
        assert!(!reaches("/text", &mark.repeat(20_000)), "{mark:?}");
    }
}
