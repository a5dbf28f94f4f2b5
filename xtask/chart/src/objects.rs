//! The rendered manifests of a case.

use serde_json::Value;
use std::collections::BTreeMap;

/// The manifests that the chart makes of one file of values.
#[derive(Debug, Clone)]
pub(crate) struct Objects(Vec<Value>);

impl Objects {
    pub(crate) fn new(manifests: Vec<Value>) -> Self {
        Self(manifests)
    }

    /// Returns the manifest of a kind, which the chart makes at most once.
    pub(crate) fn get(&self, kind: &str) -> Option<&Value> {
        self.0.iter().find(|manifest| manifest["kind"] == kind)
    }

    /// Returns the manifest of a kind, or an error that names the missing kind.
    pub(crate) fn required(&self, kind: &str) -> Result<&Value, String> {
        self.get(kind).ok_or_else(|| format!("there is no {kind}"))
    }

    /// Returns the template of the replicas' pods.
    pub(crate) fn pod(&self) -> Result<&Value, String> {
        let deployment = self.required("Deployment")?;
        deployment.pointer("/spec/template").ok_or_else(|| "the Deployment has no template".to_owned())
    }

    /// Returns the only container of a pod.
    pub(crate) fn container(&self) -> Result<&Value, String> {
        match self.pod()?.pointer("/spec/containers").and_then(Value::as_array).map(Vec::as_slice) {
            Some([container]) => Ok(container),
            _ => Err("a pod does not have exactly one container".to_owned()),
        }
    }

    /// Returns the port of the container with that name.
    pub(crate) fn port(&self, name: &str) -> Result<Option<u16>, String> {
        let ports = self.container()?["ports"].as_array().map_or(&[][..], Vec::as_slice);
        let port = ports.iter().find(|port| port["name"] == name).map(|port| &port["containerPort"]);
        Ok(port.and_then(Value::as_u64).and_then(|port| port.try_into().ok()))
    }

    /// Returns the values of a container's variables that stand in the manifests. A variable from the pod or from a Secret that the chart does
    /// not make has no value.
    pub(crate) fn variables(&self) -> Result<BTreeMap<String, Option<String>>, String> {
        let container = self.container()?;
        let mut variables = BTreeMap::new();
        let own = self.get("Secret");
        for source in container["envFrom"].as_array().into_iter().flatten() {
            let is_own = own.is_some_and(|secret| secret["metadata"]["name"] == source["secretRef"]["name"]);
            let secrets = own.filter(|_| is_own).and_then(|secret| secret["stringData"].as_object());
            for (name, value) in secrets.into_iter().flatten() {
                variables.insert(name.clone(), value.as_str().map(str::to_owned));
            }
        }
        for variable in container["env"].as_array().into_iter().flatten() {
            let name = variable["name"].as_str().unwrap_or_default().to_owned();
            variables.insert(name, variable["value"].as_str().map(str::to_owned));
        }
        Ok(variables)
    }

    #[cfg(test)]
    pub(crate) fn get_mut(&mut self, kind: &str) -> &mut Value {
        self.0.iter_mut().find(|manifest| manifest["kind"] == kind).expect("the kind is there")
    }

    #[cfg(test)]
    pub(crate) fn remove(&mut self, kind: &str) {
        self.0.retain(|manifest| manifest["kind"] != kind);
    }
}
