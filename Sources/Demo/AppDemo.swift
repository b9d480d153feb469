/// Demo data of one app.
///
/// An app with demo data returns a conforming value from `App.demo`. Ids and random numbers come from
/// ``DemoContext``, so that each run creates the same records.
package protocol AppDemo: Sendable {
  /// The app's name.
  var app: String { get }

  /// Returns the share of each company in a load, in the order of the companies.
  func shares(_ request: DemoLoad.Request, among companies: DemoSizes) -> [any DemoShare]

  /// Creates the app's records of the company `demo` through the engine. Existing records stay unchanged.
  func create(_ stage: DemoStage) async throws

  /// Returns the rows that a guest of the company `demo` sees on the day of the stage, parents before
  /// children.
  func rows(_ stage: DemoStage) -> [DemoRows]

  /// Moves the dates of rows that ``rows(_:)`` does not return to the day of the stage.
  ///
  /// - Returns: the number of moved records.
  func refresh(_ stage: DemoStage) async throws -> Int
}

extension AppDemo {
  /// Creates nothing.
  package func create(_ stage: DemoStage) async throws {}
  /// Returns no rows.
  package func rows(_ stage: DemoStage) -> [DemoRows] { [] }
  /// Moves nothing.
  package func refresh(_ stage: DemoStage) async throws -> Int { 0 }
}

/// One company's share of an app's demo data.
package protocol DemoShare: Sendable {
  /// Number of planned rows that belong to the company, including samples.
  var companyRows: Int { get }

  /// Returns the total number of planned private rows for the given number of members.
  func memberRows(_ members: Int) -> Int

  /// Writes the rows that belong to the company.
  ///
  /// - Returns: the numbers of new rows.
  func load(_ context: DemoContext) throws -> DemoCount

  /// Returns the share of each member with private records; empty if the app has no private data.
  ///
  /// - Parameter appetites: the relative amount of data of each member. The shares have the same order.
  func members(_ appetites: [Double]) -> [any DemoMemberShare]
}

extension DemoShare {
  /// No rows.
  package var companyRows: Int { 0 }
  /// Returns 0.
  package func memberRows(_ members: Int) -> Int { 0 }
  /// Writes nothing.
  package func load(_ context: DemoContext) throws -> DemoCount { DemoCount() }
  /// Returns no shares.
  package func members(_ appetites: [Double]) -> [any DemoMemberShare] { [] }
}

/// One member's share of an app's private demo data.
package protocol DemoMemberShare: Sendable {
  /// Number of planned rows.
  var rows: Int { get }

  /// Writes the rows in the member's own transaction.
  ///
  /// - Parameter place: index of the member among those with private records; the ids depend on it.
  /// - Returns: the number of new records.
  func load(_ context: DemoContext, of member: DemoTenant.Member, place: Int) throws -> Int
}

/// Numbers of newly inserted rows.
package struct DemoCount: Sendable {
  package var records: Int
  /// Rows of time series, which are not records.
  package var samples: Int

  package init(records: Int = 0, samples: Int = 0) {
    self.records = records
    self.samples = samples
  }
}
