//! The words of the page.

use super::table::words;

words! {
    /// The page of agents and hosts.
    AgentWords {
        title views overview matrix explain rules roles keys limits connect
        agents agent no_agents no_agents_help connected own_rules seen not_lately all_agents its_events
        hosts host no_hosts no_hosts_help protocol mgp yes no in_flight
        replicas place process version started servers reported this_machine now seconds_ago
        server tool rule role role_name policy ends never by reason change whole_server may may_not unreadable revoke revoke_question
        no_rules no_rules_help by_roles new_rule make_rule make_anyway unknown_agent unknown_server unknown_tool unknown_help rule_removed until take_back grant_help
        explain_help explain_tool_help arguments ask ask_again answer
        matrix_help matrix_key show empty_matrix empty_matrix_help tool_rule server_rule no_rule
        roles_help no_roles no_roles_help of_nobody of_agents key
        key_name keys_help endpoint no_endpoint no_keys no_keys_help key_may made last_used administers all_of_agent in_configuration expired not_used
        change_in_settings rotate rotate_question revoke_key_question replaced new_key make_key key_agent_help scopes scopes_help admin_key opens_console
        key_for_console key_for_host
        made_key no_made_key once send_it header calls_for may_nothing next_rule old_key_until kept_it
        limits_help no_limits no_limits_help limit_of per_minute burst per_day counted each together used_today unused uses_more_one uses_more_many resets costs
        connect_help gateway_file servers_added remarks connect_it connect_question disconnect disconnect_it disconnect_question
        all_programs is_connected is_not_connected cannot_be_connected
    }
}
