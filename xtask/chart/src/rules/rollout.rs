//! The replacement of replicas, and the number of them.

use super::manifests::{Findings, unmet};
use crate::objects::Objects;
use serde_json::{Value, json};

/// The time that a replica needs to end, in seconds, as in docs/teams.md: 30 s for calls, and the rest for answers and servers.
const END: u64 = 40;

/// Returns the ways in which more than one replica is replaced at a time.
pub(super) fn one_at_a_time(objects: &Objects) -> Findings {
    let spec = &objects.required("Deployment")?["spec"];
    let expected =
        json!({ "type": "RollingUpdate", "rollingUpdate": { "maxUnavailable": 0, "maxSurge": 1 } });
    let budget = objects.get("PodDisruptionBudget");
    Ok(unmet([
        (
            spec["strategy"] == expected,
            "an update does not replace one replica after the other, a new one first",
        ),
        (
            budget.is_none_or(|budget| budget["spec"]["maxUnavailable"] == 1),
            "more than one replica may be evicted at a time",
        ),
    ]))
}

/// Returns whether a pod is killed before its replica has ended.
pub(super) fn grace_period(objects: &Objects) -> Findings {
    let seconds = |value: Option<&Value>| value.and_then(Value::as_u64).unwrap_or_default();
    let pause = seconds(objects.container()?.pointer("/lifecycle/preStop/sleep/seconds"));
    let grace = seconds(objects.pod()?.pointer("/spec/terminationGracePeriodSeconds"));
    let is_enough = grace >= pause + END;
    Ok(if is_enough {
        Vec::new()
    } else {
        vec![format!("terminationGracePeriodSeconds is {grace}: expected at least {}", pause + END)]
    })
}

/// Returns whether both the chart and an autoscaler set the number of replicas, or neither does.
pub(super) fn count(objects: &Objects) -> Findings {
    let deployment = objects.required("Deployment")?;
    let scaler = objects.get("HorizontalPodAutoscaler");
    let target = scaler.map(|scaler| &scaler["spec"]["scaleTargetRef"]["name"]);
    let spread = objects.pod()?["spec"]["topologySpreadConstraints"].as_array();
    Ok(unmet([
        (
            deployment["spec"]["replicas"].is_null() == scaler.is_some(),
            "the number of replicas does not have exactly one owner",
        ),
        (
            target.is_none_or(|name| *name == deployment["metadata"]["name"]),
            "the autoscaler is not for the Deployment",
        ),
        (spread.is_some_and(|spread| !spread.is_empty()), "replicas are not spread over nodes"),
    ]))
}
