import BrowserFixtures
import Domain
import Foundation
import SyncProtocol
import TestTools
import Values

@testable import FettleClient

/// The field app's own core in a browser, as a phone of the model: its store, its queue and its synchronisation.
struct BrowserPhone: PhoneClient {
  private let browser: Browser
  private let bridge: PhoneBridge

  /// Opens the page of a phone in a browser; its requests go through a transport.
  static func open(_ browser: Browser, _ transport: any Transport, of user: UUID) async throws -> BrowserPhone
  {
    let phone = BrowserPhone(browser: browser, bridge: try PhoneBridge(transport, user: user))
    try await phone.reopen()
    return phone
  }

  /// Ends the app and starts it again: only its store is kept.
  func reopen() async throws {
    try await browser.open("http://127.0.0.1:\(bridge.port)/")
    _ = try await call("open")
  }

  func stop() { bridge.stop() }

  /// Calls a function of the page with JSON values.
  private func call(_ name: String, _ arguments: FieldValue...) async throws -> FieldValue {
    let text = try await browser.executeWaiting(
      """
      const [name, text, done] = arguments
      const ends = value => done(JSON.stringify(value))
      import('/phone.js').then(async ({phone}) => {
        try { ends({value: await phone[name](...JSON.parse(text)) ?? null}) } catch (error) { ends({error: error.stack}) }
      }, error => ends({error: String(error)}))
      """,
      .string(name),
      .string(FieldValue.array(arguments).description)
    ).string
    guard case .object(let answer) = try FieldValue(parsing: text ?? "null"), let value = answer["value"]
    else {
      throw ClientError(.store, "\(name) in the browser: \(text ?? "no answer")")
    }
    return value
  }

  var device: UUID { get async throws { UUID(uuidString: try await call("device").string ?? "") ?? UUID() } }

  var unsynced: Int { get async throws { Int(try await call("unsynced").integer ?? 0) } }

  var changes: [Change] {
    get async throws {
      try await call("changes").elements.compactMap(\.members).compactMap(Change.init(ofBrowser:))
    }
  }

  var waiting: [Waiting] {
    get async throws {
      try await call("waiting").elements.compactMap(\.members).compactMap(Waiting.init(ofBrowser:))
    }
  }

  func all(_ type: String) async throws -> [LocalRecord] {
    try await call("all", .string(type)).elements.compactMap(\.members).compactMap { row in
      guard let id = row["id"]?.uuid, let fields = row["fields"]?.members else { return nil }
      return LocalRecord(
        id: id,
        type: type,
        version: row["version"]?.integer ?? 0,
        fields: fields,
        files: [],
        isChanged: row["changed"] == .bool(true)
      )
    }
  }

  func make(_ type: String, _ id: UUID, _ fields: [String: FieldValue]) async throws {
    _ = try await call("make", .string(type), .string(id.text), .object(fields))
  }

  func edit(_ type: String, _ id: UUID, _ fields: [String: FieldValue]) async throws {
    _ = try await call("edit", .string(type), .string(id.text), .object(fields))
  }

  func move(_ type: String, _ id: UUID, _ transition: String) async throws {
    _ = try await call("move", .string(type), .string(id.text), .string(transition))
  }

  func remove(_ type: String, _ id: UUID) async throws {
    _ = try await call("remove", .string(type), .string(id.text))
  }

  func attach(_ type: String, _ id: UUID, _ bytes: [UInt8]) async throws -> UUID {
    let file = UUID()
    let content = Data(bytes).base64EncodedString()
    _ = try await call("attach", .string(type), .string(id.text), .string(file.text), .string(content))
    return file
  }

  func resolve(_ id: Change.ID, taking resolution: SyncResolution) async throws {
    _ = try await call("resolve", .number("\(id.number)"), .string(resolution.rawValue))
  }

  func retry(_ id: Change.ID) async throws { _ = try await call("retry", .number("\(id.number)")) }

  func retryFile(_ id: UUID) async throws { _ = try await call("file", .string(id.text), "retry") }

  func discardFile(_ id: UUID) async throws { _ = try await call("file", .string(id.text), "discard") }

  func synchronise() async throws {
    let problem = try await call("synchronise").string ?? ""
    switch problem {
    case "": return
    case "offline": throw ClientError(.unanswered, "no answer")
    case "signed-out": throw ClientError(.signedOut, "the session has ended")
    case "unavailable", "internal": throw ClientError(.unavailable, problem)
    default: throw ClientError(.refused(code: problem), problem)
    }
  }
}

extension FieldValue {
  fileprivate var members: [String: FieldValue]? {
    if case .object(let members) = self { members } else { nil }
  }
  fileprivate var elements: [FieldValue] { if case .array(let elements) = self { elements } else { [] } }
  fileprivate var integer: Int64? { if case .number(let text) = self { Int64(text) } else { nil } }
  fileprivate var uuid: UUID? { string.flatMap(UUID.init(uuidString:)) }
}

extension Change {
  fileprivate init?(ofBrowser row: [String: FieldValue]) {
    guard let device = row["device"]?.uuid, let number = row["no"]?.integer, let record = row["id"]?.uuid,
      let operation = row["op"]?.string.flatMap(SyncOperation.init(rawValue:)),
      let status = row["status"]?.string.flatMap(SyncStatus.init(rawValue:))
    else { return nil }
    self.init(
      id: ID(device: device, number: number),
      type: row["type"]?.string ?? "",
      record: record,
      operation: operation,
      fields: row["fields"]?.members ?? [:],
      transition: row["transition"]?.string,
      comment: nil,
      file: row["file"]?.members?["id"]?.uuid,
      madeAt: .now,
      status: status,
      attempts: 0,
      version: nil,
      code: row["answer"]?.members?["code"]?.string,
      detail: row["answer"]?.members?["detail"]?.string,
      conflictingFields: [],
      server: nil,
      decision: row["decision"]?.string.flatMap(SyncResolution.init(rawValue:))
    )
  }
}

extension Waiting {
  fileprivate init?(ofBrowser row: [String: FieldValue]) {
    let change = row["no"]?.integer.flatMap { no in
      row["device"]?.uuid.map { Waiting.ID.change(Change.ID(device: $0, number: no)) }
    }
    guard let id = change ?? row["file"]?.uuid.map(Waiting.ID.file), let record = row["record"]?.uuid else {
      return nil
    }
    self.init(
      id: id,
      type: row["type"]?.string ?? "",
      record: record,
      needsDecision: row["decides"] == .bool(true),
      reason: row["reason"]?.string
    )
  }
}
