//! Tests of the rules on manifests: each place that is broken has its finding.

use super::{
    of_cases, of_manifests,
    sample::{CONFIG, objects},
};
use crate::objects::Objects;
use serde_json::{Value, json};

/// The pointer to the template of a pod, and to its container.
const POD: &str = "/spec/template/spec";
const CONTAINER: &str = "/spec/template/spec/containers/0";

/// Sets a value of a manifest; `null` stands for its absence.
fn set(objects: &mut Objects, kind: &str, pointer: &str, value: Value) {
    let (parent, name) = pointer.rsplit_once('/').unwrap_or_default();
    let parent = objects.get_mut(kind).pointer_mut(parent).expect("the place is there");
    match name.parse::<usize>() {
        Ok(index) => parent[index] = value,
        Err(_) => parent[name.replace("~1", "/")] = value,
    }
}

/// Breaks each place by itself, and compares the first finding.
fn check(broken: &[(&str, &str, Value, &str)]) {
    for (kind, pointer, value, expected) in broken {
        let mut objects = objects();
        set(&mut objects, kind, pointer, value.clone());
        let findings = of_manifests(&objects);
        assert!(findings.iter().any(|finding| finding.contains(expected)), "{kind} {pointer}: {findings:?}");
    }
}

#[test]
fn manifests_that_fit_together_have_no_finding() {
    assert_eq!(of_manifests(&objects()), Vec::<String>::new());
}

#[test]
fn a_configuration_that_the_gateway_refuses_is_found() {
    for (from, to, expected) in [
        ("[telemetry]", "[telemetri]", "telemetri"),
        ("metrics_open = true", "metrics_open = 1", "metrics_open"),
        ("${ISSUES_TOKEN}", "${ISSUE_TOKEN}", "ISSUE_TOKEN"),
        ("${POD_IP}:7434", "${HOSTNAME}:7434", "HOSTNAME"),
        ("${POD_IP}:7434", "${POD_IP}:7433", "replicas.advertise is not the pod's own address"),
        ("${POD_IP}:7434", "10.0.0.6:7434", "replicas.advertise is not the pod's own address"),
        ("listen = \"0.0.0.0:7433\"", "listen = \"127.0.0.1:7433\"", "http.listen is not the port http"),
        (
            "listen = \"0.0.0.0:7434\"",
            "listen = \"0.0.0.0:7435\"",
            "replicas.listen is not the port replicas",
        ),
        ("metrics = \"0.0.0.0:9464\"\n", "", "telemetry.metrics is not the port metrics"),
        ("metrics_open = true", "", "can be reached from other machines"),
        ("\"team-mgp\", ", "", "http.allowed_hosts lacks the name of the Service"),
        ("\"gateway.example.com\"", "", "http.allowed_hosts lacks the host of the Ingress"),
    ] {
        let text = CONFIG.replacen(from, to, 1);
        assert_ne!(text, CONFIG, "{from}");
        check(&[("ConfigMap", "/data/mgp.toml", json!(text), expected)]);
    }
    check(&[("ConfigMap", "/data/mgp.toml", json!(null), "the ConfigMap has no mgp.toml")]);
}

#[test]
fn a_pod_with_more_rights_is_found() {
    let at = |rest: &str| format!("{POD}{rest}");
    let own = |rest: &str| format!("{CONTAINER}/securityContext/{rest}");
    check(&[
        ("Deployment", &at("/securityContext/runAsNonRoot"), json!(null), "a pod may run as root"),
        ("Deployment", &at("/securityContext/runAsUser"), json!(0), "the user of the image"),
        ("Deployment", &at("/securityContext/seccompProfile"), json!(null), "no seccomp profile"),
        ("Deployment", &own("readOnlyRootFilesystem"), json!(false), "the root file system"),
        ("Deployment", &own("allowPrivilegeEscalation"), json!(null), "may gain privileges"),
        ("Deployment", &own("capabilities"), json!({ "drop": ["KILL"] }), "has capabilities"),
        ("Deployment", &at("/automountServiceAccountToken"), json!(null), "a token of the cluster"),
        ("Deployment", &at("/enableServiceLinks"), json!(true), "variables of Services"),
        ("ServiceAccount", "/automountServiceAccountToken", json!(null), "gives its token to pods"),
        ("ServiceAccount", "/metadata/name", json!("other"), "the account that the chart makes"),
    ]);
}

#[test]
fn a_pod_without_its_files_is_found() {
    let own = |rest: &str| format!("{CONTAINER}/{rest}");
    check(&[
        ("Deployment", &own("env/1/value"), json!("/etc/mgp.toml"), "MGP_CONFIG_PATH is not in"),
        ("Deployment", &own("env/1/value"), json!("/etc/mgp/x.toml"), "MGP_CONFIG_PATH is not the file"),
        ("Deployment", &own("env/2/value"), json!("/state"), "MGP_STATE_DIR is not a folder in a volume"),
        ("Deployment", &own("env/2/value"), json!("/state/"), "MGP_STATE_DIR is not a folder in a volume"),
        (
            "Deployment",
            &format!("{POD}/volumes/1"),
            json!({ "name": "state", "persistentVolumeClaim": {} }),
            "MGP_STATE_DIR is not a folder for each pod",
        ),
        ("Deployment", &own("env/2/value"), json!("/etc/mgp/x"), "MGP_STATE_DIR is not a folder in a volume"),
        ("Deployment", &own("env/3/valueFrom"), json!(null), "MGP_STORE_URL is not from a Secret"),
        ("Secret", "/stringData/MGP_STORE_URL", json!(null), "the Secret lacks the key"),
        ("Deployment", &format!("{POD}/volumes/0/configMap/name"), json!("x"), "MGP_CONFIG_PATH is not in"),
        ("Deployment", &format!("{POD}/volumes/1/name"), json!("x"), "MGP_STATE_DIR is not a folder"),
    ]);
}

#[test]
fn a_probe_of_another_path_is_found() {
    let own = |rest: &str| format!("{CONTAINER}/{rest}");
    check(&[
        ("Deployment", &own("readinessProbe/httpGet/path"), json!("/livez"), "readiness is not /readyz"),
        ("Deployment", &own("livenessProbe/httpGet/path"), json!("/readyz"), "liveness is not /livez"),
        ("Deployment", &own("startupProbe"), json!(null), "the start is not /livez"),
        ("Deployment", &own("readinessProbe/timeoutSeconds"), json!(1), "gives up before"),
        ("Deployment", &own("args"), json!(["serve"]), "does not run `mgp serve --http`"),
        ("Deployment", &own("command"), json!(["sh"]), "does not run `mgp serve --http`"),
        ("Deployment", &own("resources"), json!({}), "requests no resources"),
    ]);
}

#[test]
fn a_port_that_others_reach_is_found() {
    let policy = |rest: &str| format!("/spec/ingress/{rest}");
    let annotations = "/spec/template/metadata/annotations/prometheus.io~1";
    check(&[
        ("NetworkPolicy", &policy("1/from"), json!(null), "others than replicas reach"),
        ("NetworkPolicy", &policy("1/from"), json!([]), "others than replicas reach"),
        ("NetworkPolicy", &policy("1/from/0/podSelector"), json!({}), "others than replicas reach"),
        ("NetworkPolicy", &policy("1/from/0/namespaceSelector"), json!({}), "others than replicas reach"),
        ("NetworkPolicy", &policy("0/ports"), json!([]), "others than replicas reach"),
        ("NetworkPolicy", &policy("1/ports/0/port"), json!("http"), "replicas do not reach"),
        ("NetworkPolicy", &policy("0/ports/0/port"), json!("x"), "hosts do not reach"),
        ("NetworkPolicy", &policy("2/from"), json!([]), "everything reaches the port metrics"),
        ("NetworkPolicy", &policy("2/ports/0/port"), json!("x"), "does not follow the pod"),
        ("NetworkPolicy", "/spec/policyTypes", json!(["Egress"]), "not only for what reaches pods"),
        ("Service", "/spec/ports/0/targetPort", json!("replicas"), "another port than that of hosts"),
        ("Deployment", &format!("{annotations}port"), json!("1"), "annotations of Prometheus"),
        ("Deployment", &format!("{annotations}scrape"), json!(null), "annotations of Prometheus"),
    ]);
}

#[test]
fn a_selector_that_does_not_match_is_found() {
    check(&[
        ("Service", "/spec/selector", json!({ "name": "other" }), "Service: the selector"),
        ("Service", "/spec/selector", json!({}), "Service: the selector"),
        ("NetworkPolicy", "/spec/podSelector", json!({}), "NetworkPolicy: the selector"),
        ("PodDisruptionBudget", "/spec/selector", json!(null), "PodDisruptionBudget: the selector"),
        ("Deployment", "/spec/selector/matchLabels/name", json!("x"), "Deployment: the selector"),
    ]);
}

#[test]
fn an_update_that_loses_replicas_is_found() {
    check(&[
        (
            "Deployment",
            "/spec/strategy/rollingUpdate/maxUnavailable",
            json!(1),
            "one replica after the other",
        ),
        ("Deployment", "/spec/strategy/type", json!("Recreate"), "one replica after the other"),
        ("PodDisruptionBudget", "/spec/maxUnavailable", json!(2), "more than one replica may be evicted"),
        (
            "Deployment",
            &format!("{POD}/terminationGracePeriodSeconds"),
            json!(44),
            "is 44: expected at least 45",
        ),
        ("Deployment", "/spec/replicas", json!(3), "exactly one owner"),
        ("HorizontalPodAutoscaler", "/spec/scaleTargetRef/name", json!("x"), "not for the Deployment"),
        ("Deployment", &format!("{POD}/topologySpreadConstraints"), json!([]), "not spread over nodes"),
    ]);
    let mut without = objects();
    without.remove("HorizontalPodAutoscaler");
    assert!(of_manifests(&without).iter().any(|finding| finding.contains("exactly one owner")));
}

#[test]
fn a_change_that_replaces_no_pod_is_found() {
    let (first, mut second) = (objects(), objects());
    set(&mut second, "ConfigMap", "/data/mgp.toml", json!("x"));
    set(&mut second, "Secret", "/stringData/MGP_STORE_URL", json!("x"));
    let both = |second: &Objects| of_cases(&[("a", first.clone()), ("b", second.clone())]);
    let found = both(&second);
    assert_eq!(
        found,
        [
            "a and b have another ConfigMap, and the same checksum/config",
            "a and b have another Secret, and the same checksum/secret",
        ]
    );
    for annotation in ["config", "secret"] {
        let pointer = format!("/spec/template/metadata/annotations/checksum~1{annotation}");
        set(&mut second, "Deployment", &pointer, json!("3"));
    }
    assert_eq!(both(&second), Vec::<String>::new());
    assert!(both(&first).iter().any(|finding| finding.contains("no two cases have another ConfigMap")));
}
