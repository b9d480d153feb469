/// Demo data of one app.
///
/// An app with demo data returns a conforming value from `App.demo`. Ids and random numbers come from the context, so
/// that every run creates the same records.
package protocol AppDemo: Sendable {
  /// The app's name.
  var app: String { get }

  /// The share of each company in a load, in the order of the companies.
  func shares(_ request: DemoLoad.Request, among companies: DemoSizes) -> [any DemoShare]

  /// Creates the app's records of the company `demo` through the engine; existing ones stay.
  func create(_ stage: DemoStage) async throws

  /// The rows that a guest of the company `demo` finds, as of the stage's day: parents before children.
  func rows(_ stage: DemoStage) -> [DemoRows]

  /// Moves data that `rows` does not describe to the stage's day.
  ///
  /// - Returns: the number of records that it moved.
  func refresh(_ stage: DemoStage) async throws -> Int
}

extension AppDemo {
  /// None.
  package func create(_ stage: DemoStage) async throws {}
  /// None.
  package func rows(_ stage: DemoStage) -> [DemoRows] { [] }
  /// Nothing moves.
  package func refresh(_ stage: DemoStage) async throws -> Int { 0 }
}

/// The demo data of one app that one company gets in a load.
package protocol DemoShare: Sendable {
  /// Planned rows that belong to the company, samples included.
  var companyRows: Int { get }

  /// Planned rows that belong to so many members together.
  func memberRows(_ members: Int) -> Int

  /// Writes the rows that belong to the company.
  ///
  /// - Returns: the numbers of new rows.
  func load(_ context: DemoContext) throws -> DemoCount

  /// The shares of the members who keep private records, in the order of their appetites.
  func members(_ appetites: [Double]) -> [any DemoMemberShare]
}

extension DemoShare {
  /// None.
  package var companyRows: Int { 0 }
  /// None.
  package func memberRows(_ members: Int) -> Int { 0 }
  /// None.
  package func load(_ context: DemoContext) throws -> DemoCount { DemoCount() }
  /// None.
  package func members(_ appetites: [Double]) -> [any DemoMemberShare] { [] }
}

/// The private demo data of one app that one member gets in a load.
package protocol DemoMemberShare: Sendable {
  /// Planned rows.
  var rows: Int { get }

  /// Writes the rows in the member's own transaction.
  ///
  /// - Parameter place: the member's place among those with private records; the ids depend on it.
  /// - Returns: the number of new records.
  func load(_ context: DemoContext, of member: DemoTenant.Member, place: Int) throws -> Int
}

/// Numbers of rows that were not there before.
package struct DemoCount: Sendable {
  package var records: Int
  /// Rows of time series, which are no records.
  package var samples: Int

  package init(records: Int = 0, samples: Int = 0) {
    self.records = records
    self.samples = samples
  }
}
