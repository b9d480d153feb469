package import ArgumentParser
internal import Cluster
internal import Domain
package import Engine
internal import FoundationEssentials
internal import Glibc
internal import Postgres
package import Secrets
package import Store

/// The company a command works in, and on whose behalf.
package struct CompanyOptions: ParsableArguments {
  @OptionGroup package var connection: ConnectionOptions

  @Option(
    name: [.short, .long],
    help: ArgumentHelp("The company's short name (default FETTLE_COMPANY)", valueName: "slug"),
    completion: .custom { _, _, _ in await LiveCompletion.companies() }
  )
  package var company: String?

  @Option(
    name: .customLong("as"),
    help: ArgumentHelp(
      "Member to act as: an e-mail address, or the part before its @; audited",
      valueName: "member"
    ),
    completion: .custom { words, _, _ in await LiveCompletion.members(words) }
  )
  package var member: String?

  package init() {}

  /// The company that is named, if one is, looked up under a login.
  package func named() async throws -> CompanyRow? {
    let slug = company ?? ProcessInfo.processInfo.environment["FETTLE_COMPANY"] ?? ""
    guard !slug.isEmpty else { return nil }
    let company = try await connection.withServices { try await ActingContexts($0).company(slug) }
    CompanyClock.use(company.timeZone)
    return company
  }

  /// Runs a command's body with the services and the acting context it asked for, and closes the connections.
  package func withActingContext<Value>(
    as login: ConnectionOptions.Login = .admin,
    poolSize: Int = 2,
    _ body: (Services, ActingContext) async throws -> Value
  ) async throws -> Value {
    try await connection.withServices(as: login, poolSize: poolSize) { services in
      let environment = ProcessInfo.processInfo.environment
      var named = company ?? environment["FETTLE_COMPANY"] ?? ""
      var handle = member
      if named.isEmpty, let text = member, let at = text.lastIndex(of: "@"), !text[at...].contains(".") {
        named = String(text[text.index(after: at)...])  // ana@acme names both
        handle = String(text[..<at])
      }
      guard !named.isEmpty else {
        throw DomainError(
          .invalidInput,
          "no company is named",
          hint: "add --company SLUG, or set FETTLE_COMPANY"
        )
      }
      let acting = try await ActingContexts(services).take(
        company: named,
        operatorName: Operator.name,
        as: handle
      )
      CompanyClock.use(acting.company.timeZone)
      return try await body(services, acting)
    }
  }
}

extension ConnectionOptions {
  /// Runs a command's body with the services, and closes the connections.
  package func withServices<Value>(
    as login: Login = .admin,
    poolSize: Int = 2,
    _ body: (Services) async throws -> Value
  ) async throws -> Value {
    let database = try open(as: login, poolSize: poolSize)
    let services = Services(
      database: database,
      rules: AppRegistry.current.rules,
      keys: { try KeyLocation.file().readOrCreate() }
    )
    do {
      let value = try await body(services)
      await database.close()
      return value
    } catch {
      await database.close()
      throw error
    }
  }
}

/// Where the secrets are that do not belong in the database.
package enum KeyLocation {
  package static func file() throws -> KeyFile {
    let home = try ClusterHome.locate().directory
    return KeyFile.locate(environment: ProcessInfo.processInfo.environment, default: "\(home)/fettle.key")
  }

  /// Where the secrets are that companies name and others are shown, such as utilities.
  package static func secrets() throws -> SecretFolder {
    let home = try ClusterHome.locate().directory
    return SecretFolder.locate(environment: ProcessInfo.processInfo.environment, default: "\(home)/secrets")
  }
}

/// The person at the keyboard, as the operating system knows them.
package enum Operator {
  package static var name: String {
    let environment = ProcessInfo.processInfo.environment
    for variable in ["SUDO_USER", "USER", "LOGNAME"] {
      if let name = environment[variable], !name.isEmpty { return name }
    }
    if let entry = getpwuid(getuid()), let name = entry.pointee.pw_name { return String(cString: name) }
    return "uid \(getuid())"
  }
}

extension CompanyOptions {
  /// Whether a company is named, here or in the environment.
  package var isNamed: Bool {
    company != nil || member?.contains("@") == true
      || ProcessInfo.processInfo.environment["FETTLE_COMPANY"]?.isEmpty == false
  }
}
