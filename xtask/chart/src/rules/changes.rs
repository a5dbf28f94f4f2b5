//! Rules on several cases: a change of the configuration or of a secret replaces the pods.

use crate::objects::Objects;
use serde_json::Value;

/// The annotations of a pod, and the data of which each is a checksum.
const CHECKSUMS: [(&str, &str, &str); 2] =
    [("checksum/config", "ConfigMap", "/data"), ("checksum/secret", "Secret", "/stringData")];

/// Returns the annotations that do not differ where the data differ, for each two cases, and those that none of the cases prove.
pub(crate) fn of_cases(cases: &[(&str, Objects)]) -> Vec<String> {
    let mut findings = Vec::new();
    for (annotation, kind, pointer) in CHECKSUMS {
        let mut differed = false;
        let facts: Vec<_> = cases
            .iter()
            .map(|(name, objects)| (name, data(objects, kind, pointer), checksum(objects, annotation)))
            .collect();
        for (at, (name, data, checksum)) in facts.iter().enumerate() {
            if checksum.is_none() {
                findings.push(format!("{name}: a pod has no annotation {annotation}"));
            }
            for (other, its_data, its_checksum) in &facts[at + 1..] {
                differed |= data != its_data;
                if data != its_data && checksum == its_checksum {
                    findings
                        .push(format!("{name} and {other} have another {kind}, and the same {annotation}"));
                }
            }
        }
        if !differed {
            findings.push(format!("no two cases have another {kind}"));
        }
    }
    findings
}

fn data<'a>(objects: &'a Objects, kind: &str, pointer: &str) -> Option<&'a Value> {
    objects.get(kind)?.pointer(pointer)
}

fn checksum<'a>(objects: &'a Objects, annotation: &str) -> Option<&'a str> {
    objects.pod().ok()?["metadata"]["annotations"][annotation].as_str()
}
