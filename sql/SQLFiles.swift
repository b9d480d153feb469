/// A file of `sql/` as it was when the binary was built.
package struct SQLFile: Sendable {
  /// Its path below `sql/`, such as `core/core_0001_catalogue.sql`.
  package let path: String
  /// What it says, byte for byte.
  package let bytes: [UInt8]

  package init(_ path: String, _ bytes: [UInt8]) {
    self.path = path
    self.bytes = bytes
  }

  /// The file as text; migrations and manifests are UTF-8.
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The last component of ``path``.
  package var name: String { path.split(separator: "/").last.map(String.init) ?? path }
}

/// Everything under `sql/`, carried inside the binary so that one file is the whole product.
package enum SQLFiles {
  /// The files, listed by hand because a resource keeps its name and loses its folder; a test holds the list
  /// against the folder.
  package static let all: [SQLFile] = [
    SQLFile("apps/inventory/inventory.app.yaml", PackageResources.inventory_app_yaml),
    SQLFile("apps/inventory/inventory_0001_tables.sql", PackageResources.inventory_0001_tables_sql),
    SQLFile("apps/inventory/inventory_0002_views.sql", PackageResources.inventory_0002_views_sql),
    SQLFile("apps/inventory/inventory_0003_reports.sql", PackageResources.inventory_0003_reports_sql),
    SQLFile("apps/macros/macros.app.yaml", PackageResources.macros_app_yaml),
    SQLFile("apps/macros/macros_0001_tables.sql", PackageResources.macros_0001_tables_sql),
    SQLFile("apps/macros/macros_0002_views.sql", PackageResources.macros_0002_views_sql),
    SQLFile("apps/maintenance/maintenance.app.yaml", PackageResources.maintenance_app_yaml),
    SQLFile("apps/maintenance/maintenance_0001_tables.sql", PackageResources.maintenance_0001_tables_sql),
    SQLFile("apps/maintenance/maintenance_0002_views.sql", PackageResources.maintenance_0002_views_sql),
    SQLFile("apps/maintenance/maintenance_0003_reports.sql", PackageResources.maintenance_0003_reports_sql),
    SQLFile("apps/maintenance/maintenance_0004_plans.sql", PackageResources.maintenance_0004_plans_sql),
    SQLFile("apps/maintenance/maintenance_0005_reports.sql", PackageResources.maintenance_0005_reports_sql),
    SQLFile("apps/maintenance/maintenance_0006_due.sql", PackageResources.maintenance_0006_due_sql),
    SQLFile("apps/solar/solar.app.yaml", PackageResources.solar_app_yaml),
    SQLFile("apps/solar/solar_0001_tables.sql", PackageResources.solar_0001_tables_sql),
    SQLFile("apps/solar/solar_0002_views.sql", PackageResources.solar_0002_views_sql),
    SQLFile("apps/trips/trips.app.yaml", PackageResources.trips_app_yaml),
    SQLFile("apps/trips/trips_0001_tables.sql", PackageResources.trips_0001_tables_sql),
    SQLFile("apps/trips/trips_0002_views.sql", PackageResources.trips_0002_views_sql),
    SQLFile("core/core_0001_catalogue.sql", PackageResources.core_0001_catalogue_sql),
    SQLFile("core/core_0002_people.sql", PackageResources.core_0002_people_sql),
    SQLFile("core/core_0003_access.sql", PackageResources.core_0003_access_sql),
    SQLFile("core/core_0004_records.sql", PackageResources.core_0004_records_sql),
    SQLFile("core/core_0005_jobs.sql", PackageResources.core_0005_jobs_sql),
    SQLFile("core/core_0006_isolation.sql", PackageResources.core_0006_isolation_sql),
    SQLFile("core/core_0007_guard.sql", PackageResources.core_0007_guard_sql),
    SQLFile("core/core_0008_doors.sql", PackageResources.core_0008_doors_sql),
    SQLFile("core/core_0009_reports.sql", PackageResources.core_0009_reports_sql),
    SQLFile("core/core_0010_apps.sql", PackageResources.core_0010_apps_sql),
    SQLFile("core/core_0011_conversation.sql", PackageResources.core_0011_conversation_sql),
    SQLFile("core/core_0012_workflows.sql", PackageResources.core_0012_workflows_sql),
    SQLFile("core/core_0013_time.sql", PackageResources.core_0013_time_sql),
    SQLFile("core/core_0014_entitlements.sql", PackageResources.core_0014_entitlements_sql),
    SQLFile("core/core_0015_claims.sql", PackageResources.core_0015_claims_sql),
    SQLFile("core/core_0016_demo.sql", PackageResources.core_0016_demo_sql),
    SQLFile("core/core_0017_guard.sql", PackageResources.core_0017_guard_sql),
    SQLFile("core/core_0018_queue.sql", PackageResources.core_0018_queue_sql),
    SQLFile("core/core_0019_queue_aside.sql", PackageResources.core_0019_queue_aside_sql),
    SQLFile("core/core_0020_queue_rights.sql", PackageResources.core_0020_queue_rights_sql),
    SQLFile("core/core_0021_queue_takeover.sql", PackageResources.core_0021_queue_takeover_sql),
    SQLFile("core/core_0022_queue_claim.sql", PackageResources.core_0022_queue_claim_sql),
    SQLFile("core/core_0023_queue_look.sql", PackageResources.core_0023_queue_look_sql),
    SQLFile("core/core_0024_queue_settle.sql", PackageResources.core_0024_queue_settle_sql),
    SQLFile("core/core_0025_queue_rescue.sql", PackageResources.core_0025_queue_rescue_sql),
    SQLFile("core/core_0026_queue_change.sql", PackageResources.core_0026_queue_change_sql),
    SQLFile("core/core_0027_queue_views.sql", PackageResources.core_0027_queue_views_sql),
    SQLFile("core/core_0028_queue_rules.sql", PackageResources.core_0028_queue_rules_sql),
    SQLFile("core/core_0029_queue_tokens.sql", PackageResources.core_0029_queue_tokens_sql),
    SQLFile("core/core_0030_queue_tally.sql", PackageResources.core_0030_queue_tally_sql),
    SQLFile("core/core_0031_queue_counts.sql", PackageResources.core_0031_queue_counts_sql),
    SQLFile("core/core_0032_queue_lists.sql", PackageResources.core_0032_queue_lists_sql),
    SQLFile("core/core_0033_queue_found.sql", PackageResources.core_0033_queue_found_sql),
    SQLFile("core/core_0034_queue_weeks.sql", PackageResources.core_0034_queue_weeks_sql),
    SQLFile("core/core_0035_queue_forget.sql", PackageResources.core_0035_queue_forget_sql),
    SQLFile("core/core_0036_queue_home.sql", PackageResources.core_0036_queue_home_sql),
    SQLFile("core/core_0037_guard_ways.sql", PackageResources.core_0037_guard_ways_sql),
    SQLFile("core/core_0038_queue_settle_plans.sql", PackageResources.core_0038_queue_settle_plans_sql),
    SQLFile("core/core_0039_queue_weeks_ahead.sql", PackageResources.core_0039_queue_weeks_ahead_sql),
    SQLFile("core/core_0040_queue_cut.sql", PackageResources.core_0040_queue_cut_sql),
    SQLFile("core/core_0041_queue_counts_quick.sql", PackageResources.core_0041_queue_counts_quick_sql),
    SQLFile("core/core_0042_queue_old_weeks.sql", PackageResources.core_0042_queue_old_weeks_sql),
    SQLFile("core/core_0043_queue_lists_lean.sql", PackageResources.core_0043_queue_lists_lean_sql),
    SQLFile("core/core_0044_queue_tally_lean.sql", PackageResources.core_0044_queue_tally_lean_sql),
    SQLFile("core/core_0045_queue_claims_found.sql", PackageResources.core_0045_queue_claims_found_sql),
    SQLFile("core/core_0046_queue_barren.sql", PackageResources.core_0046_queue_barren_sql),
    SQLFile("core/core_0047_queue_lists_end.sql", PackageResources.core_0047_queue_lists_end_sql),
    SQLFile("core/core_0048_queue_take_lanes.sql", PackageResources.core_0048_queue_take_lanes_sql),
    SQLFile("core/core_0049_queue_look_weeks.sql", PackageResources.core_0049_queue_look_weeks_sql),
    SQLFile("roles/roles.sql", PackageResources.roles_sql),
  ]

  /// The files in a folder below `sql/`, in the order of their names.
  package static func below(_ folder: String) -> [SQLFile] {
    all.filter { $0.path.hasPrefix(folder + "/") }.sorted { $0.path < $1.path }
  }

  /// The file at a path below `sql/`, if the binary carries it.
  package static func at(_ path: String) -> SQLFile? {
    all.first { $0.path == path }
  }

  /// The names of the apps the binary carries.
  package static var apps: [String] {
    all.compactMap { file in
      let parts = file.path.split(separator: "/")
      return parts.count == 3 && parts[0] == "apps" && file.path.hasSuffix(".app.yaml")
        ? String(parts[1]) : nil
    }.sorted()
  }
}
