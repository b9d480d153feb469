package import CoreCommands
package import Demo
package import Engine
package import Jobs
package import Secrets
package import Webhooks

/// The apps that are compiled into the program.
///
/// To remove an app, delete its line below, its folder beside this file, and its folders in `sql/apps` and
/// `Tests/AppsTests`.
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

  /// Returns the handlers of the engine and of all apps.
  package static func handlers(
    _ records: Records,
    policy: NetworkPolicy,
    secrets: SecretFolder? = nil
  ) -> HandlerTable {
    registry.handlers(records, policy: policy, secrets: secrets)
  }

  /// The demo data of the apps that have any.
  package static var demos: [any AppDemo] { registry.demos }

  /// Returns the tasks of all apps that run in programs of the operator.
  package static func tasks(_ records: Records) -> [any ProgramTask] { registry.tasks(records) }
}
