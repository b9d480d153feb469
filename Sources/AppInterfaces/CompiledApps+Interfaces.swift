package import API
package import Apps
package import CoreCommands
package import Demo
package import Engine
package import Jobs
package import Mail
package import Secrets
package import Store
package import Webhooks

extension CompiledApps {
  /// The apps with commands, routes or demo data, in their order.
  private static let interfaces: [any AppInterface] = all.compactMap { $0 as? any AppInterface }

  /// What the apps add to the command line.
  package static let registry = AppRegistry(rules: rules, apps: interfaces)

  /// The demo data of the apps, in their order.
  package static var demos: [any AppDemo] { interfaces.compactMap(\.demo) }

  /// Returns the routes of all apps, besides those of their record types.
  ///
  /// - Parameter records: opened with the login of the API.
  package static func routes(_ records: Records, _ services: Services) -> [Route] {
    interfaces.flatMap { $0.routes(records, services) }
  }

  /// Returns the handlers of the engine and of all apps.
  ///
  /// - Parameters:
  ///   - records: opened with the worker's login.
  ///   - policy: the addresses that webhooks and other requests may reach.
  ///   - secrets: the secrets that companies refer to by name; nil if there are none.
  ///   - mail: how mails are sent; nil for a worker that sends none.
  ///   - ledger: the file that remembers erasures; nil for a worker that erases nothing.
  package static func handlers(
    _ records: Records,
    policy: NetworkPolicy,
    secrets: SecretFolder? = nil,
    mail: MailSettings? = nil,
    ledger: ErasureLedger? = nil
  ) -> HandlerTable {
    let setup = HandlerSetup(records, policy: policy, secrets: secrets, mail: mail, ledger: ledger)
    var table = HandlerTable.engine(setup)
    table.add(DemoRefreshHandler(records, demos))
    for handler in all.flatMap({ $0.handlers(setup) }) { table.add(handler) }
    return table
  }
}
