internal import Store

/// The Swift code that apps add to the engine: rules of their record types, and starting records of new
/// companies.
package struct AppRules: Sendable {
  /// The records of one type that an app creates in every new company.
  package struct StartingRecords: Sendable {
    /// The record type.
    package let type: String
    /// Creates the records that the company does not have yet.
    package let create: @Sendable (Services, Records, ActingContext) async throws -> Void

    package init(
      type: String,
      create: @escaping @Sendable (Services, Records, ActingContext) async throws -> Void
    ) {
      self.type = type
      self.create = create
    }
  }

  /// The rules by record type.
  package private(set) var records: [String: RecordRule]
  private var startingRecords: [StartingRecords]

  /// The settings that companies choose.
  package private(set) var settings: [CompanySetting]

  /// No compiled rules: only the manifests apply.
  package static let none = AppRules()

  package init(
    records: [String: RecordRule] = [:],
    startingRecords: [StartingRecords] = [],
    settings: [CompanySetting] = []
  ) {
    self.records = records
    self.settings = settings
    self.startingRecords = startingRecords
  }

  /// Merges the rules of several apps. Type names begin with the app's name, so no rule replaces another.
  package init(_ apps: [AppRules]) {
    self.init()
    for app in apps {
      records.merge(app.records) { first, _ in first }
      startingRecords += app.startingRecords
      settings += app.settings
    }
  }

  /// Creates the starting records of a new company. Apps that the company does not use create none.
  ///
  /// - Parameter replaced: the types whose records come from elsewhere, such as a provisioning file.
  package func createStartingRecords(
    in acting: ActingContext,
    _ services: Services,
    _ records: Records,
    except replaced: Set<String> = []
  ) async throws {
    let used = Set(try await CompanyApps(services).list(acting).filter(\.isEnabled).map(\.app))
    let types = Set(records.catalogue.types.filter { used.contains($0.app) }.map(\.name))
    for starting in startingRecords
    where types.contains(starting.type) && !replaced.contains(starting.type) {
      try await starting.create(services, records, acting)
    }
  }
}
