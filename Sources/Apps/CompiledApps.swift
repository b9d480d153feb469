package import CoreCommands
package import Demo
package import Engine
package import Jobs
package import Secrets
package import Webhooks

/// The compiled apps, one per line.
///
/// To remove an app, delete its folder beside this file, its folders in `sql/apps` and `Tests/AppsTests`, and its line.
package enum CompiledApps {
  package static let registry = AppRegistry([
    MaintenanceApp(),
    InventoryApp(),
    MacrosApp(),
    SolarApp(),
    TripsApp(),
  ])

  /// The rules of all apps.
  package static var rules: AppRules { registry.rules }

  /// The handlers of the engine and of all apps.
  package static func handlers(
    _ records: Records,
    policy: NetworkPolicy,
    secrets: SecretFolder? = nil
  ) -> HandlerTable {
    registry.handlers(records, policy: policy, secrets: secrets)
  }

  /// The demo data of the apps.
  package static var demos: [any AppDemo] { registry.demos }

  /// The kinds of job that the operator's own programs run for an app.
  package static func tasks(_ records: Records) -> [any ProgramTask] { registry.tasks(records) }
}
