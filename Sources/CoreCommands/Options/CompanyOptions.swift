package import ArgumentParser
internal import Cluster
internal import Domain
package import Engine
package import FoundationEssentials
internal import Glibc
internal import Postgres
package import Secrets
package import Store

/// The company that a command works in, and the member to act as.
package struct CompanyOptions: ParsableArguments {
  @OptionGroup package var connection: ConnectionOptions

  @Option(
    name: [.short, .long],
    help: ArgumentHelp("Short name of the company (default: FETTLE_COMPANY)", valueName: "slug"),
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

  /// Refuses a member without a company. Otherwise a command that may act on all companies would ignore the
  /// member, and act on all of them as the operator.
  package func validate() throws {
    guard member == nil || isNamed else {
      throw ValidationError("--as requires --company, FETTLE_COMPANY or member@company")
    }
  }

  /// Returns the company that the options or the environment name; nil if none is named.
  ///
  /// - Throws: `not_found` if the named company does not exist.
  package func named() async throws -> CompanyRow? {
    guard let slug = place?.company else { return nil }
    let company = try await connection.withServices { try await ActingContexts($0).company(slug) }
    CompanyClock.use(company.timeZone)
    return company
  }

  /// Runs a command's body with the services and the acting context, then closes the connections.
  ///
  /// - Throws: `invalid_input` if no company is named, `not_found` if the company or the member does not
  ///   exist.
  package func withActingContext<Value>(
    as login: ConnectionOptions.Login = .admin,
    poolSize: Int = 2,
    _ body: (Services, ActingContext) async throws -> Value
  ) async throws -> Value {
    try await connection.withServices(as: login, poolSize: poolSize) { services in
      let (slug, handle) = try names()
      let acting = try await ActingContexts(services)
        .take(company: slug, operatorName: Operator.name, as: handle)
      CompanyClock.use(acting.company.timeZone)
      return try await body(services, acting)
    }
  }

  /// Runs a command's body with an opening: the acting context, its rights, the record types and the named
  /// record, all read in one round trip.
  package func withOpening<Value>(
    record: NamedRecord? = nil,
    poolSize: Int = 2,
    _ body: (Opening) async throws -> Value
  ) async throws -> Value {
    try await connection.withServices(poolSize: poolSize) { services in
      let (slug, handle) = try names()
      let opening = try await ActingContexts(services)
        .open(company: slug, operatorName: Operator.name, as: handle, record: record)
      CompanyClock.use(opening.acting.company.timeZone)
      return try await body(opening)
    }
  }

  /// Runs a command's body on one record, named by number, key, id or the beginning of the id.
  ///
  /// - Parameter deleted: true to look for deleted records only.
  /// - Throws: `not_found` if there is no such record.
  package func withRecord<Value>(
    _ name: String,
    type: String,
    deleted: Bool = false,
    _ body: (Records, ActingContext, UUID) async throws -> Value
  ) async throws -> Value {
    try await withOpening(record: NamedRecord(name, type: type, isDeleted: deleted)) { opening in
      guard let id = opening.record else { throw DomainError(.notFound) }
      return try await body(opening.records, opening.acting, id)
    }
  }

  /// True if a company is named, in the options or in the environment.
  package var isNamed: Bool { place != nil }

  /// The company and the member that the options and the environment name; nil without a company.
  private var place: (company: String, member: String?)? {
    let named = company ?? ProcessInfo.processInfo.environment["FETTLE_COMPANY"] ?? ""
    guard named.isEmpty else { return (named, member) }
    // `ana@acme` names both.
    guard let text = member, let at = text.lastIndex(of: "@"), !text[at...].contains("."),
      text.index(after: at) < text.endIndex
    else { return nil }
    return (String(text[text.index(after: at)...]), String(text[..<at]))
  }

  /// Returns the company and the member that the options name.
  private func names() throws -> (company: String, member: String?) {
    if let place { return place }
    throw DomainError(
      .invalidInput,
      "no company is named",
      hint: "add --company SLUG, or set FETTLE_COMPANY"
    )
  }
}

extension ConnectionOptions {
  /// Runs a command's body with the services, then closes the connections.
  package func withServices<Value>(
    as login: Login = .admin,
    poolSize: Int = 2,
    accepting rule: LoginRule = .bound,
    _ body: (Services) async throws -> Value
  ) async throws -> Value {
    let database = try open(as: login, poolSize: poolSize, accepting: rule)
    do {
      let ring = try await Keyring.open(database)
      let services = Services(
        database: database,
        rules: AppRegistry.current.rules,
        keys: { try ring.keys() }
      )
      let value = try await body(services)
      try await ring.register(database)
      await database.close()
      return value
    } catch {
      await database.close()
      throw error
    }
  }
}

/// Locations of the keys and secrets that are kept outside the database.
package enum KeyLocation {
  /// Returns the file of the keys, from the environment or else in the folder of the embedded cluster.
  package static func file() throws -> KeyFile {
    let home = try ClusterHome.locate().directory
    return KeyFile.locate(environment: ProcessInfo.processInfo.environment, default: "\(home)/fettle.key")
  }

  /// Returns the file that tells a process of a restored database, from the environment or else beside the keys.
  package static func witness() throws -> WitnessFile {
    let keys = try file()
    return WitnessFile.locate(
      environment: ProcessInfo.processInfo.environment,
      keys: keys.path,
      isCredential: keys.origin == .credential,
      home: try ClusterHome.locate().directory
    )
  }

  /// Returns the file that remembers erasures, from the environment or else beside the witness.
  package static func ledger() throws -> ErasureLedger {
    ErasureLedger.locate(environment: ProcessInfo.processInfo.environment, beside: try witness())
  }

  /// Returns the folder of the secrets that companies refer to by name and send to others, such as utilities.
  package static func secrets() throws -> SecretFolder {
    let home = try ClusterHome.locate().directory
    return SecretFolder.locate(environment: ProcessInfo.processInfo.environment, default: "\(home)/secrets")
  }
}

/// The operator, as the operating system identifies them.
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
