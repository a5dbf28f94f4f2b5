//! The policy file: what it lets agents call, its mistakes, its trust, and what commands say of it.

#[cfg(feature = "cedar")]
mod in_cedar;

#[cfg(not(feature = "cedar"))]
#[test]
fn a_build_without_policies_names_one_that_has_them() {
    let user = crate::support::User::new();
    user.write("mgp.toml", "[access]\npolicy_file = \"access.cedar\"\n");
    user.write("access.cedar", "permit(principal, action, resource);");
    for args in [&["servers", "--trust"][..], &["tools", "--trust"], &["access", "schema"], &["trust"]] {
        let failed = user.run(args).fails_with(3);
        assert!(failed.stderr.contains("cargo install --path mgp --features cedar"), "{args:?}: {failed:?}");
    }
    // The state is still within reach.
    user.run(&["access", "list", "--trust"]).succeeds();
}
