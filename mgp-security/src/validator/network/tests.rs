//! Tests of hosts in every form.

use super::check::forbidden_in;
use crate::validator::Leaf;

fn reaches(pointer: &str, text: &str) -> bool {
    forbidden_in(&Leaf::new(pointer, text)).is_some()
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
        ("/text", "[https://example.com], (https://example.org), {https://a.example}"),
        ("/text", ""),
    ] {
        assert!(!reaches(pointer, text), "{pointer} {text}");
    }
}

#[test]
fn this_machine_and_private_networks_are_refused_in_every_form() {
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
        "printer.local",
        "127.0.0.1.nip.io",
        "１２７.0.0.1",
        "user:pass@127.0.0.1",
        "example.com@127.0.0.1",
        "127.0.0.1:8080",
        "127.0.0.1/x?y#z",
        "%31%32%37.0.0.1",
    ] {
        for text in [
            format!("http://{host}"),
            format!("gopher://{host}"),
            format!("HTTP:{host}"),
            format!("//{host}"),
        ] {
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
    ] {
        assert!(reaches("/url", text), "{text:?}");
    }
}

#[test]
fn a_bare_address_is_seen_in_any_member() {
    for text in ["127.0.0.1", "10.0.0.1:22", "::1", "localhost", "localhost:3000/x"] {
        assert!(reaches("/text", text), "{text}");
    }
}

#[test]
fn a_text_of_nothing_but_marks_is_judged_in_a_moment() {
    let of = |part: &str| part.repeat((1 << 18) / part.len());
    for text in [
        of(":"),
        of("="),
        of("@"),
        of("/"),
        of("\\/"),
        of("//a"),
        of("//@"),
        of("a:"),
        of("host:"),
        of("host: "),
        of("host=\""),
        of("a@"),
        of("a,"),
        format!("http://{}", of("a@")),
        format!("http://{}", of("@/")),
        format!("//127.0.0.1?{}", of("@")),
    ] {
        for pointer in ["/text", "/url"] {
            reaches(pointer, &text);
        }
    }
}

#[test]
fn what_is_too_long_to_be_judged_is_refused_where_a_host_stands() {
    let long = "a".repeat(9000);
    for text in [
        format!("http://{long}@127.0.0.1/"),
        format!("http://{}127.0.0.1/", "a@".repeat(4000)),
        format!("http://{long}.example/"),
        format!("host={long}@127.0.0.1"),
        "host:".repeat(1 << 18),
        format!("{} ", "host:".repeat(1600)).repeat(160),
    ] {
        assert!(reaches("/text", &text), "{} ...", &text[..20]);
    }
    for text in [
        format!("https://example.com/{long}"),
        format!("https://example.com?x={}", &long[..5000]),
        format!("see url=https://example.com/{long}?host=example.org#{} for {long}", &long[..100]),
        format!("//{long}"),
        "host:example.org ".repeat(1 << 14),
        format!("{}example.org", "host:".repeat(64)),
        long.clone(),
    ] {
        assert!(!reaches("/text", &text), "{} ...", &text[..20]);
    }
    assert!(!reaches("/url", &format!("https://example.com/{long}")));
    assert!(reaches("/host", &long));
}
