//! The rights, the files and the probes of a pod.

use super::manifests::{Findings, unmet};
use crate::objects::Objects;
use serde_json::{Value, json};

/// Returns the rights that a pod has and should not have.
pub(super) fn rights(objects: &Objects) -> Findings {
    let (pod, container) = (&objects.pod()?["spec"], objects.container()?);
    let (of_pod, own) = (&pod["securityContext"], &container["securityContext"]);
    let account = objects.get("ServiceAccount");
    Ok(unmet([
        (of_pod["runAsNonRoot"] == true, "a pod may run as root"),
        (of_pod["runAsUser"] == 10001, "a pod does not run as the user of the image"),
        (of_pod["seccompProfile"]["type"] == "RuntimeDefault", "a pod has no seccomp profile"),
        (own["readOnlyRootFilesystem"] == true, "the root file system can be written"),
        (own["allowPrivilegeEscalation"] == false, "a container may gain privileges"),
        (own["capabilities"] == json!({ "drop": ["ALL"] }), "a container has capabilities"),
        (pod["automountServiceAccountToken"] == false, "a pod has a token of the cluster"),
        (pod["enableServiceLinks"] == false, "a pod has variables of Services"),
        (
            account.is_none_or(|account| account["automountServiceAccountToken"] == false),
            "the service account gives its token to pods",
        ),
        (
            account.is_none_or(|account| account["metadata"]["name"] == pod["serviceAccountName"]),
            "a pod does not have the account that the chart makes",
        ),
    ]))
}

/// Returns the files that the gateway needs and that a pod lacks.
pub(super) fn files(objects: &Objects) -> Findings {
    let container = objects.container()?;
    let variables = objects.variables()?;
    let value = |name: &str| variables.get(name).cloned().flatten().unwrap_or_default();
    let mounts: Vec<_> = container["volumeMounts"].as_array().into_iter().flatten().collect();
    let mount_of = |path: &str| {
        let is_above = |mount: &&&Value| {
            let folder = mount["mountPath"].as_str().unwrap_or("/");
            path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/') && rest.len() > 1)
        };
        mounts.iter().find(is_above).map(|mount| (&mount["name"], mount["readOnly"] == true))
    };
    let volume = |name: &Value| {
        let volumes = objects.pod().ok().and_then(|pod| pod["spec"]["volumes"].as_array());
        volumes.into_iter().flatten().find(|volume| volume["name"] == *name)
    };
    let config = mount_of(&value("MGP_CONFIG_PATH")).and_then(|(name, _)| volume(name));
    let map = &objects.required("ConfigMap")?["metadata"]["name"];
    let folder = value("MGP_STATE_DIR");
    let state = mount_of(&folder);
    let is_shared = state
        .and_then(|(name, _)| volume(name))
        .is_some_and(|volume| volume["persistentVolumeClaim"].is_object());
    let url = container["env"].as_array().into_iter().flatten().find(|one| one["name"] == "MGP_STORE_URL");
    let key = url.map(|url| &url["valueFrom"]["secretKeyRef"]);
    let own =
        objects.get("Secret").filter(|own| key.is_some_and(|key| key["name"] == own["metadata"]["name"]));
    Ok(unmet([
        (
            config.is_some_and(|volume| volume["configMap"]["name"] == *map),
            "MGP_CONFIG_PATH is not in the ConfigMap",
        ),
        (value("MGP_CONFIG_PATH").ends_with("/mgp.toml"), "MGP_CONFIG_PATH is not the file of the ConfigMap"),
        (
            state.is_some_and(|(name, is_read_only)| !is_read_only && volume(name).is_some()),
            "MGP_STATE_DIR is not a folder in a volume: the gateway refuses a folder of root",
        ),
        (
            !is_shared || folder.ends_with("/$(POD_NAME)"),
            "MGP_STATE_DIR is not a folder for each pod in the volume that they share",
        ),
        (
            key.is_some_and(|key| key["name"].is_string() && key["key"].is_string()),
            "MGP_STORE_URL is not from a Secret",
        ),
        (
            own.is_none_or(|own| {
                key.is_some_and(|key| own["stringData"][key["key"].as_str().unwrap_or_default()].is_string())
            }),
            "the Secret lacks the key of MGP_STORE_URL",
        ),
    ]))
}

/// Returns the probes that do not ask the paths of health checks.
pub(super) fn probes(objects: &Objects) -> Findings {
    let container = objects.container()?;
    let asks =
        |probe: &str, path: &str| container[probe]["httpGet"] == json!({ "path": path, "port": "http" });
    // The gateway itself waits a second for the database.
    let patient =
        |probe: &str| container[probe]["timeoutSeconds"].as_u64().is_some_and(|seconds| seconds >= 2);
    Ok(unmet([
        (asks("readinessProbe", "/readyz"), "readiness is not /readyz at the port http"),
        (asks("livenessProbe", "/livez"), "liveness is not /livez at the port http"),
        (asks("startupProbe", "/livez"), "the start is not /livez at the port http"),
        (patient("readinessProbe"), "the readiness probe gives up before the gateway does"),
        (
            container["args"] == json!(["serve", "--http"]) && container["command"].is_null(),
            "a container does not run `mgp serve --http` by the image's entry point",
        ),
        (container["resources"]["requests"].is_object(), "a container requests no resources"),
    ]))
}
