package import Engine
package import Jobs

/// The apps that are compiled into the program.
///
/// To remove an app, delete its line below, its folders beside this file and in `Sources/AppInterfaces`, and those in
/// `sql/apps` and `Tests/AppsTests`.
package enum CompiledApps {
  package static let all: [any App] = [
    MaintenanceApp(),
    InventoryApp(),
    MacrosApp(),
    SolarApp(),
    TripsApp(),
  ]

  /// The rules of all apps.
  package static var rules: AppRules { AppRules(all.map(\.rules)) }

  /// Returns the tasks of all apps that run in programs of the operator.
  package static func tasks(_ records: Records) -> [any ProgramTask] { all.flatMap { $0.tasks(records) } }
}
