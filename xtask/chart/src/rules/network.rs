//! Selectors, and the ports that others reach.

use super::manifests::{Findings, unmet};
use crate::objects::Objects;
use serde_json::Value;

/// Returns the objects whose selector does not match the pods.
pub(super) fn selectors(objects: &Objects) -> Findings {
    let labels = &objects.pod()?["metadata"]["labels"];
    let mut findings = Vec::new();
    for (kind, pointer) in [
        ("Deployment", "/spec/selector/matchLabels"),
        ("Service", "/spec/selector"),
        ("PodDisruptionBudget", "/spec/selector/matchLabels"),
        ("NetworkPolicy", "/spec/podSelector/matchLabels"),
    ] {
        let Some(manifest) = objects.get(kind) else { continue };
        if !matches(manifest.pointer(pointer), labels) {
            findings.push(format!("{kind}: the selector does not match the pods"));
        }
    }
    Ok(findings)
}

/// Returns the ways in which others reach more ports than they should.
pub(super) fn ports(objects: &Objects) -> Findings {
    let labels = &objects.pod()?["metadata"]["labels"];
    let service = &objects.required("Service")?["spec"]["ports"];
    let is_http =
        service.as_array().is_some_and(|ports| ports.iter().all(|port| port["targetPort"] == "http"));
    let mut findings = unmet([(is_http, "the Service has another port than that of hosts")]);
    let annotation = |name: &str| objects.pod().ok()?["metadata"]["annotations"][name].as_str();
    let scraped = annotation("prometheus.io/port").and_then(|port| port.parse().ok());
    if scraped != objects.port("metrics")?
        || annotation("prometheus.io/scrape").is_some() != scraped.is_some()
    {
        findings.push("the annotations of Prometheus do not follow the port metrics".to_owned());
    }
    let Some(policy) = objects.get("NetworkPolicy") else { return Ok(findings) };
    let ingress = policy["spec"]["ingress"].as_array().map_or(&[][..], Vec::as_slice);
    let rules = |port: &'static str| ingress.iter().filter(move |rule| opens(rule, port));
    // A rule without peers is for all of them.
    let only_replicas = |rule: &Value| match rule["from"].as_array().map(Vec::as_slice) {
        Some([peer]) => {
            peer.as_object().is_some_and(|peer| peer.len() == 1)
                && matches(peer.pointer("/podSelector/matchLabels"), labels)
        }
        _ => false,
    };
    let has_peers = |rule: &Value| rule["from"].as_array().is_some_and(|peers| !peers.is_empty());
    let has_metrics = objects.port("metrics")?.is_some();
    findings.extend(unmet([
        (
            policy["spec"]["policyTypes"] == serde_json::json!(["Ingress"]),
            "NetworkPolicy: not only for what reaches pods",
        ),
        (rules("http").count() == 1, "NetworkPolicy: hosts do not reach the port http"),
        (rules("replicas").count() == 1, "NetworkPolicy: replicas do not reach the port replicas"),
        (rules("replicas").all(only_replicas), "NetworkPolicy: others than replicas reach the port replicas"),
        (
            rules("metrics").any(|_| true) == has_metrics,
            "NetworkPolicy: the port metrics does not follow the pod",
        ),
        (rules("metrics").all(has_peers), "NetworkPolicy: everything reaches the port metrics"),
    ]));
    Ok(findings)
}

/// Returns whether a rule of a policy opens a port. A rule without ports opens all of them.
fn opens(rule: &Value, port: &str) -> bool {
    match rule["ports"].as_array() {
        Some(ports) if !ports.is_empty() => {
            ports.iter().any(|one| one["port"] == port || one["port"].is_null())
        }
        _ => true,
    }
}

/// Returns whether a selector is not empty, and the labels have all that it names.
fn matches(selector: Option<&Value>, labels: &Value) -> bool {
    let selector = selector.and_then(Value::as_object).filter(|selector| !selector.is_empty());
    selector.is_some_and(|selector| selector.iter().all(|(name, value)| labels[name] == *value))
}
