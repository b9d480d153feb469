internal import GRDB

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The position of the device, and what it knows about itself: single values, by name.
struct Cursors {
  private let db: Database

  init(_ db: Database) { self.db = db }

  private enum Name: String {
    case device, registration, nextNo, epoch, cursor, pulled, acknowledged, nextDevice, toldQueue, user,
      company, visitor, lost, asksFiles
  }

  /// The id of this device; a random one is stored at the first use.
  var device: String {
    get throws {
      if let id = try self[.device] { return id }
      let id = UUID().uuidString.lowercased()
      try set(.device, id)
      return id
    }
  }

  /// The id of this device; nil before its first use.
  var currentDevice: String? { get throws { try self[.device] } }

  /// The description with which the device is registered; nil before.
  var registration: String? { get throws { try self[.registration] } }
  func setRegistration(_ text: String?) throws { try set(.registration, text) }

  /// The epoch of the server's database; nil before the first pull.
  var epoch: String? { get throws { try self[.epoch] } }
  func setEpoch(_ text: String?) throws { try set(.epoch, text) }

  /// The cursor of the last page; nil before the first.
  var cursor: String? { get throws { try self[.cursor] } }
  func setCursor(_ text: String?) throws { try set(.cursor, text) }

  /// The position in the feed up to which everything is here; -1 before the first complete pull.
  var pulled: Int64 { get throws { try self[.pulled].flatMap { Int64($0) } ?? -1 } }
  func setPulled(_ position: Int64?) throws { try set(.pulled, position.map { "\($0)" }) }

  /// The highest number of a change that the last page took into account.
  var acknowledged: Int64 { get throws { try self[.acknowledged].flatMap { Int64($0) } ?? 0 } }
  func setAcknowledged(_ no: Int64?) throws { try set(.acknowledged, no.map { "\($0)" }) }

  /// The numbers of waiting and failed changes that the server was told.
  var toldQueue: String { get throws { try self[.toldQueue] ?? "0 0" } }
  func setToldQueue(_ text: String) throws { try set(.toldQueue, text) }

  /// The number of requests with changes since the last answer. Each one sends fewer changes than the one before.
  var lost: Int { get throws { try self[.lost].flatMap { Int($0) } ?? 0 } }
  func setLost(_ count: Int) throws { try set(.lost, count == 0 ? nil : "\(count)") }

  /// True if the server is to be asked which files of this device a restore of its database has forgotten.
  var asksFiles: Bool { get throws { try self[.asksFiles] != nil } }
  func setAsksFiles(_ asks: Bool) throws { try set(.asksFiles, asks ? "true" : nil) }

  /// The id of the device to which the changes that are not sent yet will move; nil unless this one was cloned.
  var nextDevice: String? { get throws { try self[.nextDevice] } }
  func setNextDevice(_ id: String?) throws { try set(.nextDevice, id) }

  /// The user and the company to whom the store belongs; nil before the first sign-in.
  var owner: (user: String, company: String)? {
    get throws {
      guard let user = try self[.user], let company = try self[.company] else { return nil }
      return (user, company)
    }
  }
  /// True if the owner is a visitor, who has no account yet.
  var isVisitor: Bool { get throws { try self[.visitor] != nil } }
  func setOwner(user: String, company: String, isVisitor: Bool) throws {
    try set(.user, user)
    try set(.company, company)
    try set(.visitor, isVisitor ? "true" : nil)
  }

  /// Returns the next number of a change. It is never used again on this device.
  func takeNo() throws -> Int64 {
    let no = try nextNo
    try set(.nextNo, "\(no + 1)")
    return no
  }

  /// The number of the next change.
  var nextNo: Int64 { get throws { try self[.nextNo].flatMap { Int64($0) } ?? 1 } }

  /// Becomes another device, whose numbers begin at 1. The records and the cursor stay.
  func become(device id: String) throws {
    try set(.device, id)
    for name in [Name.registration, .nextNo, .acknowledged, .nextDevice, .toldQueue] { try set(name, nil) }
  }

  /// Begins again at the start of every scope. Records that are not sent again are removed at the end.
  ///
  /// - Parameter isRestored: true if the server's database was restored: positions of another history mean nothing.
  func restart(isRestored: Bool) throws {
    try setCursor(nil)
    try db.execute(sql: "update record set is_stale = 1")
    guard isRestored else { return }
    for name in [Name.pulled, .acknowledged, .epoch] { try set(name, nil) }
    try setAsksFiles(true)
    try db.execute(sql: "update change set checkpoint = 0")
  }

  private subscript(_ name: Name) -> String? {
    get throws {
      try SQLRequest<String>(literal: "select value from setting where name = \(name.rawValue)").fetchOne(db)
    }
  }

  private func set(_ name: Name, _ value: String?) throws {
    if let value {
      try db.execute(
        literal: "insert or replace into setting (name, value) values (\(name.rawValue), \(value))"
      )
    } else {
      try db.execute(literal: "delete from setting where name = \(name.rawValue)")
    }
  }
}
