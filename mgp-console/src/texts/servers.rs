//! The words of the page.

use super::table::words;

words! {
    /// The list of servers.
    ServerWords {
        title add gateway_log none none_help filter only_trouble show one many no_trouble trouble_one trouble_many
        no_match cut server gateway state health confined trust tools in_flight queued restarts change stopped idle
        not_started silent start stop restart drain remove stop_confirm remove_confirm confined_yes confined_best_effort
        confined_off
    }

    /// One server.
    ServerDetailWords {
        all views overview log history confinement definitions unknown unknown_help in_gateway login login_help speaks
        queued instances source of_registration of_configuration checks decide tools no_tools tool_one tool_many
        more_tools tools_page log_help gateway_log follow unfollow last_lines log_empty event every_event trail no_events
        time result by tool reason no_process next_start private_folder network listening confined_by limits secrets
        missing files may more_files definitions_help unchanged more_definitions breaking compatible held listed_at
        version not_compared left_out accept keep part accepted listed removed runs program
        arguments no_arguments url variables change change_in_settings remedy what_it_may error
    }
}
