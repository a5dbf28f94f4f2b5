//! The seccomp profile of a container: the rules of [`filter`](super::filter) in the format of container engines.
//!
//! The engines' own profiles differ, and some permit user namespaces and sockets of virtual machines. The format has no rule for calls that are
//! newer than the filter.

use super::filter::{Condition, Rules, name, rules};
use crate::confine::{LandlockAbi, Profile};
use seccompiler::SeccompCmpOp::{MaskedEq, Ne};
use serde_json::{Value, json};

/// Returns the seccomp profile of a container, which has no Landlock.
pub(in crate::confine) fn engine_filter(profile: &Profile) -> String {
    entries(&rules(profile, LandlockAbi::FIRST, &[])).to_string()
}

fn entries(rules: &Rules) -> Value {
    // As if this call did not exist: programs then use `clone`, whose flags can be judged.
    let mut entries =
        vec![json!({ "names": ["clone3"], "action": "SCMP_ACT_ERRNO", "errnoRet": libc::ENOSYS })];
    for (call, uses) in rules {
        let Some(name) = name(*call) else { continue };
        let mut forbid = |args: Value| {
            entries.push(
                json!({ "names": [name], "action": "SCMP_ACT_ERRNO", "errnoRet": libc::EPERM, "args": args }),
            );
        };
        match &uses[..] {
            [] => forbid(json!([])),
            uses => uses
                .iter()
                .flat_map(|conditions| arguments(conditions))
                .for_each(|args| forbid(Value::Array(args))),
        }
    }
    json!({ "defaultAction": "SCMP_ACT_ALLOW", "syscalls": entries })
}

/// The most values that are listed for one argument.
const MOST_BETWEEN: u64 = 64;

/// Returns the conditions of one use as entries, any of which may hold. The format cannot compare an argument with several values, so the
/// values between them are listed. Of values that lie far apart, only the least stays permitted.
fn arguments(conditions: &[Condition]) -> Vec<Vec<Value>> {
    let condition = |argument: u8, op: &str, value: u64, other: u64| {
        vec![json!({ "index": argument, "op": op, "value": value, "valueTwo": other })]
    };
    // The system uses only the lower half of these arguments.
    let equal = |argument, value| condition(argument, "SCMP_CMP_MASKED_EQ", u64::from(u32::MAX), value);
    let excluded: Vec<u64> = conditions.iter().filter(|is| matches!(is.op, Ne)).map(|is| is.value).collect();
    let (Some(least), Some(most), Some(argument)) =
        (excluded.iter().min(), excluded.iter().max(), conditions.first().map(|is| is.argument))
    else {
        let other = |is: &Condition| match is.op {
            MaskedEq(mask) => condition(is.argument, "SCMP_CMP_MASKED_EQ", mask, is.value),
            _ => equal(is.argument, is.value),
        };
        return conditions.iter().map(other).collect();
    };
    let most = if most - least > MOST_BETWEEN { least } else { most };
    let between =
        (*least..*most).filter(|value| !excluded.contains(value)).map(|value| equal(argument, value));
    let around =
        [condition(argument, "SCMP_CMP_LT", *least, 0), condition(argument, "SCMP_CMP_GT", *most, 0)];
    around.into_iter().chain(between).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::confine::{ConfinementSettings, ProfileFacts, ProgramFiles};
    use mgp_types::context::TrustLevel;

    fn profile(settings: &ConfinementSettings) -> Profile {
        let program = ProgramFiles::default();
        Profile::derive(&ProfileFacts {
            trust: TrustLevel::Sandboxed,
            settings,
            granted: &[],
            program: &program,
            granted_programs: &program,
            private_folder: None,
            kernel_files: &[],
            homes: &[],
        })
    }

    #[test]
    fn an_engine_forbids_the_same_calls_as_the_gateway() {
        let hosts = vec!["example.com".parse().unwrap()];
        for settings in [
            ConfinementSettings::default(),
            ConfinementSettings { hosts: Some(hosts), ..ConfinementSettings::default() },
        ] {
            let profile = profile(&settings);
            let rules = rules(&profile, LandlockAbi::FIRST, &[]);
            let text = engine_filter(&profile);
            for (call, uses) in &rules {
                let name = name(*call).unwrap();
                assert!(text.contains(&format!("[\"{name}\"]")), "{name}");
                // No use has conditions on several arguments, which would be entries of their own.
                for conditions in uses {
                    assert!(conditions.iter().all(|is| is.argument == conditions[0].argument), "{name}");
                    assert!(
                        conditions.len() == 1 || conditions.iter().all(|is| matches!(is.op, Ne)),
                        "{name}"
                    );
                }
            }
        }
    }

    #[test]
    fn several_values_of_an_argument_leave_out_all_others() {
        let none_of = |values: &[u64]| {
            let conditions = values.iter().map(|value| Condition { argument: 0, op: Ne, value: *value });
            let entries = arguments(&conditions.collect::<Vec<_>>());
            let one = |entry: &Vec<Value>| {
                let (op, value) =
                    (entry[0]["op"].as_str().unwrap().to_owned(), entry[0]["value"].as_u64().unwrap());
                if op.ends_with("MASKED_EQ") {
                    format!("={}", entry[0]["valueTwo"])
                } else {
                    format!("{op}{value}")
                }
            };
            entries.iter().map(one).collect::<Vec<_>>().join(" ").replace("SCMP_CMP_", "")
        };
        assert_eq!(none_of(&[2, 5]), "LT2 GT5 =3 =4");
        assert_eq!(none_of(&[0]), "LT0 GT0");
        assert_eq!(none_of(&[0, 0xffff_ffff]), "LT0 GT0");
    }
}
