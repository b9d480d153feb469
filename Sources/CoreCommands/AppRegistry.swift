package import API
internal import ArgumentParser
package import Demo
package import Engine
package import Jobs
package import Secrets
package import Webhooks

/// The apps compiled into this process.
package struct AppRegistry: Sendable {
  /// The apps that commands use. `main` binds them for the whole run.
  @TaskLocal package static var current = AppRegistry([])

  package let apps: [any App]

  package init(_ apps: [any App]) { self.apps = apps }

  /// The rules of all apps.
  package var rules: AppRules { AppRules(apps.map(\.rules)) }

  /// The demo data of the apps, in their order.
  package var demos: [any AppDemo] { apps.compactMap(\.demo) }

  /// The names of the apps' commands besides the nouns of their manifests.
  package var commandNames: Set<String> {
    Set(apps.flatMap(\.commands).compactMap { $0.configuration.commandName })
  }

  /// Returns the handlers of the engine and of all apps.
  ///
  /// - Parameters:
  ///   - records: opened with the worker's login.
  ///   - policy: the addresses that webhooks and other requests may reach.
  ///   - secrets: the secrets that companies refer to by name; nil if there are none.
  package func handlers(
    _ records: Records,
    policy: NetworkPolicy,
    secrets: SecretFolder? = nil
  ) -> HandlerTable {
    let setup = HandlerSetup(records, policy: policy, secrets: secrets)
    var table = HandlerTable.engine(setup)
    table.add(DemoRefreshHandler(records, demos))
    for handler in apps.flatMap({ $0.handlers(setup) }) { table.add(handler) }
    return table
  }

  /// Returns the routes of all apps, besides those of their record types.
  ///
  /// - Parameter records: opened with the login of the API.
  package func routes(_ records: Records, _ services: Services) -> [Route] {
    apps.flatMap { $0.routes(records, services) }
  }

  /// Returns the tasks of all apps that run in programs of the operator.
  package func tasks(_ records: Records) -> [any ProgramTask] { apps.flatMap { $0.tasks(records) } }
}
