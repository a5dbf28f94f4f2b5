//! `[servers.confinement]`.

use super::mistakes::{check, server_with};
use crate::config::Config;
use expect_test::expect;
use std::path::Path;

fn confinement(lines: &str) -> String {
    server_with(&format!("[servers.confinement]\n{lines}"))
}

#[test]
fn paths_are_absolute_once_their_variables_are_expanded() {
    check(
        &confinement("read = [\"notes\", \"/notes\", \"${SET}/notes\"]"),
        expect![[r#"
            5:9 "\"notes\""
              servers[0].confinement.read[0]: "notes" is not an absolute path"#]],
    );
}

#[test]
fn hosts_are_names_or_addresses() {
    check(
        &confinement("hosts = [\"example.com\", \"https://example.com/\"]"),
        expect![[r#"
        5:9 "[\"example.com\", \"https://example.com/\"]"
          servers[0].confinement.hosts: "https://example.com/" is not a host: expected a name, `*.` and a name, `*`, an address or a network such as 10.0.0.0/8, with or without a port"#]],
    );
}

#[test]
fn contradictory_network_settings_are_mistakes() {
    check(
        &confinement("network = false\nhosts = [\"example.com\"]"),
        expect![[r#"
        6:9 "[\"example.com\"]"
          servers[0].confinement.hosts: contradicts network = false: expected one of the two"#]],
    );
    check(
        &confinement("ports = [80]\nhosts = [\"example.com\"]"),
        expect![[r#"
        5:9 "[80]"
          servers[0].confinement.ports: a server that reaches only some hosts cannot listen
          help: network = true gives the server this machine's network"#]],
    );
    for fine in ["network = true\nports = [80]", "network = false\nhosts = []", "hosts = []\nports = [80]"] {
        let text = confinement(fine);
        assert!(Config::parse(Path::new("mgp.toml"), text.as_bytes(), &|_| None).is_ok(), "{fine}");
    }
}

#[test]
fn only_a_container_has_an_image_which_is_a_name() {
    check(
        &confinement("image = \"node:22\""),
        expect![[r#"
        5:9 "\"node:22\""
          servers[0].confinement.image: only a server in a container has an image
          help: runner = "container" runs the command in the image"#]],
    );
    for image in ["", "--privileged", "a b"] {
        let text = confinement(&format!("runner = \"container\"\nimage = {image:?}"));
        let problems =
            Config::parse(Path::new("mgp.toml"), text.as_bytes(), &|_| None).unwrap_err().to_string();
        assert!(problems.contains("is not the name of an image"), "{problems}");
    }
    let text = confinement("runner = \"container\"\nimage = \"docker.io/library/node:22\"");
    assert!(Config::parse(Path::new("mgp.toml"), text.as_bytes(), &|_| None).is_ok());
    let text = confinement("runner = \"wasm\"");
    let problems = Config::parse(Path::new("mgp.toml"), text.as_bytes(), &|_| None).unwrap_err().to_string();
    assert!(problems.contains("bubblewrap"), "{problems}");
}

#[test]
fn limits_have_bounds() {
    check(
        &confinement(
            "memory_mb = 1\nprocesses = 0\nopen_files = 3\ncpu_secs = 0\nports = [0]\nfile_mb = 9999999999",
        ),
        expect![[r#"
            5:13 "1"
              servers[0].confinement.memory_mb: 1 is out of bounds: expected 16 to 1073741824
            6:13 "0"
              servers[0].confinement.processes: 0 is out of bounds: expected 1 to 1073741824
            7:14 "3"
              servers[0].confinement.open_files: 3 is out of bounds: expected 16 to 1073741824
            8:12 "0"
              servers[0].confinement.cpu_secs: 0 is out of bounds: expected 1 to 1073741824
            9:10 "0"
              servers[0].confinement.ports[0]: 0 is out of bounds: expected 1 to 65535
            10:11 "9999999999"
              servers[0].confinement.file_mb: 9999999999 is out of bounds: expected 0 to 1073741824"#]],
    );
}

#[test]
fn a_server_at_a_url_is_not_confined() {
    check(
        "[[servers]]\nid = \"a\"\ntransport = \"http\"\nurl = \"https://a.example/\"\n[servers.confinement]\nmode = \"off\"\n",
        expect![[r#"
            5:1 "[servers.confinement]"
              servers[0].confinement: has no meaning with transport = "http""#]],
    );
}
