internal import API
internal import ArgumentParser
internal import Domain
internal import FoundationEssentials
internal import Secrets
internal import Server
internal import SignIn

/// The address and the surroundings of the HTTP API.
struct ServeOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Address of the API (default address: loopback)", valueName: "address:port"))
  var listen = "127.0.0.1:8080"

  @Option(
    help: ArgumentHelp(
      "Origin under which clients reach the API, such as https://fettle.example (default: this machine only)",
      valueName: "url"
    )
  )
  var publicURL: String?

  @Flag(
    name: .customLong("behind-proxy"),
    help: "Allow another address than loopback without an https:// URL, for a proxy on a private network"
  )
  var isBehindProxy = false

  @Option(
    help: ArgumentHelp(
      "Network of a proxy whose X-Forwarded-For is believed; repeatable",
      valueName: "address/bits"
    )
  )
  var trustedProxy: [String] = []

  @Option(
    help: ArgumentHelp(
      "Origin whose scripts may use the API with credentials; repeatable",
      valueName: "origin"
    )
  )
  var allowOrigin: [String] = []

  @Option(help: ArgumentHelp("YAML file with identity providers for sign-in", valueName: "file"))
  var identityProviders: String?

  @Option(
    help: ArgumentHelp(
      "Header in which a trusted proxy names the e-mail address of the user",
      valueName: "name"
    )
  )
  var userHeader: String?

  @Option(
    help: ArgumentHelp("Header in which a trusted proxy names the company of the user", valueName: "name")
  )
  var companyHeader: String?

  @Option(
    help: "Limits of the rate of requests",
    completion: .list(["leased", "exact", "off"])
  )
  var rateLimits = RequestRates.Kind.leased

  @Option(help: ArgumentHelp("Multiple of the usual rates of requests, 1 to 1000", valueName: "count"))
  var rateFactor = 1

  @Flag(help: "Let webhooks reach private networks, as the workers do with the same option")
  var allowPrivateWebhooks = false

  func validate() throws { _ = try configuration() }

  /// Returns the configuration of the server.
  ///
  /// - Throws: `ValidationError`, also for an address that others reach without encryption.
  func configuration() throws -> HTTPConfiguration {
    guard let address = ListenAddress(listen) else {
      throw ValidationError("--listen takes a port or address:port, such as 127.0.0.1:8080")
    }
    let origin = try publicURL.map { text in
      guard let origin = PublicOrigin(text) else {
        throw ValidationError("--public-url takes a scheme and a host, such as https://fettle.example")
      }
      return origin
    }
    guard address.isLoopback || origin?.isSecure == true || isBehindProxy else {
      throw ValidationError(
        "\(address) is reachable by others: give the https:// address of the proxy with --public-url, "
          + "or pass --behind-proxy"
      )
    }
    let proxies = try trustedProxy.map { text in
      guard let network = Network(text) else {
        throw ValidationError("--trusted-proxy takes a network such as 10.0.0.0/8 or 127.0.0.1")
      }
      return network
    }
    let origins = try allowOrigin.map { text in
      guard let origin = PublicOrigin(text) else {
        throw ValidationError("--allow-origin takes a scheme and a host, such as https://app.example")
      }
      return origin.text
    }
    guard (1...1_000).contains(rateFactor) else { throw ValidationError("--rate-factor is 1 to 1000") }
    guard userHeader == nil || !proxies.isEmpty else {
      throw ValidationError("--user-header requires --trusted-proxy: anybody else could name any user")
    }
    guard companyHeader == nil || userHeader != nil else {
      throw ValidationError("--company-header requires --user-header")
    }
    return HTTPConfiguration(
      address,
      publicOrigin: origin,
      trustedProxies: proxies,
      allowedOrigins: origins
    )
  }

  /// Returns the settings of the routes.
  ///
  /// - Throws: the errors of the file of identity providers, and of the list of excluded passwords.
  func settings() throws -> ServeRoutes.Settings {
    let environment = ProcessInfo.processInfo.environment
    let credentials = environment["CREDENTIALS_DIRECTORY"]
    return ServeRoutes.Settings(
      providers: try identityProviders.map { try ProviderFile.read($0, credentials: credentials) } ?? .none,
      excludedPasswords: try PasswordList.named(in: environment),
      userHeader: userHeader,
      companyHeader: companyHeader,
      allowsPrivateWebhooks: allowPrivateWebhooks,
      rates: RequestRates(kind: rateLimits, factor: rateFactor)
    )
  }
}
