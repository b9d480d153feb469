#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The description of a device, and how it synchronises.
public struct Configuration: Sendable {
  /// The app whose records the device has, such as `maintenance`; nil for all apps.
  public var app: String?
  /// The name of the device, shown to its user and to operators.
  public var deviceName: String
  /// The platform, such as `iOS 17.5`.
  public var platform: String
  /// The version of the app.
  public var appVersion: String
  /// The version of the record types that the app was built for.
  public var schemaVersion: Int
  /// The days for which the device keeps work that is done, from 1 to 3,650; nil to keep all of it. The server decides
  /// what leaves the device, and what comes back because it is taken up again, or named by work that is open.
  public var doneDays: Int?
  /// The most changes in a page, from 1 to 1,000.
  public var pageSize: Int
  /// The time between two pulls if the server cannot tell of changes.
  public var pollInterval: Duration
  /// Returns the time.
  public var now: @Sendable () -> Date
  /// Sleeps between attempts.
  public var sleep: @Sendable (Duration) async throws -> Void

  /// Creates a description.
  public init(
    app: String? = nil,
    deviceName: String,
    platform: String = "",
    appVersion: String = "",
    schemaVersion: Int = 1,
    doneDays: Int? = nil,
    pageSize: Int = 1_000,
    pollInterval: Duration = .seconds(30),
    now: @escaping @Sendable () -> Date = { Date() },
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    self.app = app
    self.deviceName = deviceName
    self.platform = platform
    self.appVersion = appVersion
    self.schemaVersion = schemaVersion
    self.doneDays = doneDays
    self.pageSize = pageSize
    self.pollInterval = pollInterval
    self.now = now
    self.sleep = sleep
  }

  /// Seconds since 1970.
  var seconds: Int64 { Int64(now().timeIntervalSince1970) }
}
