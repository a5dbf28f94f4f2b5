//! `[limits]`.

use super::mistakes::{check, server_with};
use expect_test::expect;

#[test]
fn an_entry_that_limits_nothing_or_names_no_tool_is_a_mistake() {
    check(
        &server_with(
            "[limits.agents.ann]\n[limits.tools.read]\nrequests_per_minute = 1\n[limits.keys.ci]\nburst = 2",
        ),
        expect![[r#"
        4:1 "[limits.agents.ann]"
          limits.agents.ann: limits nothing: expected requests_per_minute or units_per_day
        5:1 "[limits.tools.read]"
          limits.tools.read: "read" names no tool: expected server__tool, such as "files__*"
        8:9 "2"
          limits.keys.ci.burst: a burst without a rate: expected requests_per_minute as well"#]],
    );
}

#[test]
fn numbers_are_bounded_and_servers_are_those_of_the_file() {
    check(
        &server_with(
            "[limits.servers.other]\nrequests_per_minute = 2000000\n[limits.servers.\"other*\"]\nunits_per_day = 1\n[limits.costs]\n\"other__t\" = 1\n\"*__t\" = 2000000",
        ),
        expect![[r#"
        4:1 "[limits.servers.other]"
          limits.servers.other: no server "other": expected the id of a [[servers]] table
        5:23 "2000000"
          limits.servers.other.requests_per_minute: 2000000 is out of bounds: expected 1 to 1000000
        9:14 "1"
          limits.costs.other__t: no server "other": expected the id of a [[servers]] table
        10:10 "2000000"
          limits.costs."*__t": 2000000 is out of bounds: expected 0 to 1000000"#]],
    );
}

#[test]
fn a_limit_of_nothing_is_a_mistake() {
    check(
        "[limits.agents.ann]\nrequests_per_minute = 0",
        expect![[r#"
        2:23 "0"
          limits.agents.ann.requests_per_minute: invalid value: integer `0`, expected a nonzero u32"#]],
    );
}

#[test]
fn shell_variables_are_words_that_do_not_move_the_gateway() {
    check(
        "[kernel]\nenvironment = [\"OK_1\", \"a b\", \"$(x)\", \"\", \"PATH\", \"MGP_STATE_DIR\", \"OK_1\"]",
        expect![[r#"
            2:24 "\"a b\""
              kernel.environment[1]: "a b" is not the name of a variable: expected letters, digits and '_', with no digit first, such as "SSH_AUTH_SOCK"
            2:31 "\"$(x)\""
              kernel.environment[2]: "$(x)" is not the name of a variable: expected letters, digits and '_', with no digit first, such as "SSH_AUTH_SOCK"
            2:39 "\"\""
              kernel.environment[3]: "" is not the name of a variable: expected letters, digits and '_', with no digit first, such as "SSH_AUTH_SOCK"
            2:43 "\"PATH\""
              kernel.environment[4]: PATH decides where hosts find the gateway: expected another variable
              help: PATH is always taken; the others are those of the host
            2:51 "\"MGP_STATE_DIR\""
              kernel.environment[5]: MGP_STATE_DIR decides where hosts find the gateway: expected another variable
              help: PATH is always taken; the others are those of the host
            2:68 "\"OK_1\""
              kernel.environment[6]: variable "OK_1" is also entry 0: expected each once"#]],
    );
}
