import API
import BrowserFixtures
import Domain
import EngineFixtures
import FettleClient
import FoundationEssentials
import Store
import SyncProtocol
import Testing

/// A phone of the model: the real client library, or the field app in a browser, over the handlers of the API.
struct ModelPhone {
  let name: String
  let member: MemberRow
  let caller: TestCaller
  let handlers: HandlerTransport
  let transport: FaultyTransport
  let folder: String
  var client: any PhoneClient
  /// True while the membership is suspended and the session has ended.
  var isOut = false
  /// The days for which the phone keeps work that is done; nil to keep all of it.
  var doneDays: Int?
  /// True if another phone may use the same device id.
  var isCopied = false

  /// Opens a phone of a member: the client library, or the field app in a browser.
  static func open(_ api: APIFixture, of name: String, seed: UInt64, in browser: Browser? = nil) async throws
    -> ModelPhone
  {
    let caller = try api.member(name)
    let handlers = HandlerTransport(api, as: caller)
    let transport = FaultyTransport(handlers, seed: seed)
    let folder = FileManager.default.temporaryDirectory.appending(path: "fettle-model-\(UUID().uuidString)")
      .path
    var client: any PhoneClient
    if let browser {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      client = try await BrowserPhone.open(browser, transport, of: caller.user)
    } else {
      client = try await TestDevice.client(transport, folder: folder)
    }
    var phone = ModelPhone(
      name: name,
      member: try #require(api.shop.members[name]),
      caller: caller,
      handlers: handlers,
      transport: transport,
      folder: folder,
      client: client
    )
    // The field app has one window.
    if browser != nil { phone.doneDays = 90 }
    return phone
  }

  /// Returns a phone of the same member whose app has a folder that was copied.
  func moved(to folder: String, name: String, seed: UInt64) async throws -> ModelPhone {
    let transport = FaultyTransport(handlers, seed: seed)
    var phone = ModelPhone(
      name: name,
      member: member,
      caller: caller,
      handlers: handlers,
      transport: transport,
      folder: folder,
      client: try await TestDevice.client(transport, folder: folder)
    )
    phone.isCopied = true
    phone.doneDays = doneDays
    try await phone.reopen()
    return phone
  }

  /// Ends the app and starts it again: only the store is kept.
  mutating func reopen() async throws {
    if let phone = client as? BrowserPhone { return try await phone.reopen() }
    client = try await TestDevice.client(transport, folder: folder, doneDays: doneDays)
  }

  /// Synchronises, with faults.
  ///
  /// - Returns: an error that the faults do not explain; nil if there is none.
  func sync(faults: Int = 0) async -> String? {
    transport.fail(faults)
    defer { transport.fail(0) }
    do {
      try await client.synchronise()
      return nil
    } catch let error as ClientError {
      switch error.kind {
      case .offline, .unanswered: return faults > 0 ? nil : "\(name): \(error)"
      // A killed server answers with an error as long as it can.
      case .unavailable where transport.hasStruck: return nil
      // The app goes on under a new device id.
      case .deviceCloned where isCopied: return nil
      case .signedOut where isOut: return nil
      default: return "\(name): \(error)"
      }
    } catch {
      return "\(name): \(error)"
    }
  }

  /// True for the field app in a browser.
  var isBrowser: Bool { client is BrowserPhone }

  /// Removes the store.
  func remove() throws {
    (client as? BrowserPhone)?.stop()
    try FileManager.default.removeItem(atPath: folder)
  }
}
