package import Domain
package import FoundationEssentials

/// The program with which a person signs in.
package struct SignInClient: Sendable {
  /// The place in which the client keeps its secrets.
  package enum Transport: String, Sendable, CaseIterable {
    /// A browser: one secret in a cookie that scripts cannot read.
    case browser
    /// An app: an access token, and a refresh token in the device's key store.
    case mobile
  }

  package let transport: Transport
  /// True for an app in a browser, whose refresh token is kept in a cookie that its scripts cannot read.
  package let keepsRefreshInCookie: Bool
  /// The id of the device, chosen by the client; nil if it has none.
  package let deviceID: UUID?
  /// The name of the device, shortened to 200 characters; may be empty.
  package let deviceName: String
  /// The user agent, shortened to 300 characters; may be empty.
  package let userAgent: String
  /// The value of the cookie that the new session's replaces; nil for none. That session ends.
  package let replacedCookie: String?
  /// The network address, for audit.
  package let address: String
  /// The network of the address, by which attempts are counted; see ``Domain/IPAddress/limitedNetwork``.
  package var network: String { IPAddress(address)?.limitedNetwork ?? address }
  /// The id of the request.
  package let requestID: UUID

  package init(
    transport: Transport,
    keepsRefreshInCookie: Bool = false,
    deviceID: UUID? = nil,
    deviceName: String = "",
    userAgent: String = "",
    replacedCookie: String? = nil,
    address: String,
    requestID: UUID
  ) {
    self.transport = transport
    self.keepsRefreshInCookie = keepsRefreshInCookie
    self.deviceID = deviceID
    self.deviceName = Self.line(deviceName, 200)
    self.userAgent = Self.line(userAgent, 300)
    self.replacedCookie = replacedCookie
    self.address = address
    self.requestID = requestID
  }

  /// Returns one line of a text, without control characters.
  private static func line(_ text: String, _ limit: Int) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars where scalar.properties.generalCategory != .control {
      guard scalars.count < limit else { break }
      scalars.append(scalar)
    }
    return String(scalars)
  }
}

/// The choices of a person who signs in.
///
/// A sign-in with a second factor has two requests. The choices of the first one apply to the second one too, unless
/// that makes its own.
package struct SignInRequest: Sendable {
  package let client: SignInClient
  /// The slug of the company to enter; nil for the one that was used last.
  package let company: String?
  /// An invite code to redeem first; nil for none.
  package let code: String?
  /// The token of the visitor that the person was until now; nil for none.
  package let visitor: String?

  package init(client: SignInClient, company: String? = nil, code: String? = nil, visitor: String? = nil) {
    self.client = client
    self.company = company
    self.code = code
    self.visitor = visitor
  }
  /// The choices to keep until the second factor; nil for none.
  var kept: JSONObject? {
    let choices = [("company", company), ("code", code), ("visitor", visitor)]
    let made = choices.compactMap { name, value in value.map { (name, JSONValue.string($0)) } }
    return made.isEmpty ? nil : JSONObject(made)
  }

  /// Returns the request with the choices that were kept from the first step, where it makes none.
  package func completed(by kept: JSONObject) -> SignInRequest {
    SignInRequest(
      client: client,
      company: company ?? kept["company"]?.string,
      code: code ?? kept["code"]?.string,
      visitor: visitor ?? kept["visitor"]?.string
    )
  }
}
