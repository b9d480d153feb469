internal import API
internal import AppInterfaces
internal import Apps
internal import Console
internal import CoreCommands
internal import Domain
internal import Engine
internal import FoundationEssentials
internal import Logging
internal import Secrets
internal import Server
internal import ServiceLifecycle
internal import SignIn

/// All routes of the API, and what they share.
struct ServeRoutes {
  /// The settings of routes, beyond those of HTTP.
  struct Settings {
    /// The identity providers with which people can sign in.
    var providers: IdentityProviders = .none
    /// The passwords that nobody may choose; nil for no list.
    var excludedPasswords: PasswordList?
    /// The header in which an authenticating proxy names the user; nil for none.
    var userHeader: String?
    /// The header in which it names the company.
    var companyHeader: String?
    /// True if the workers deliver webhooks to private networks.
    var allowsPrivateWebhooks = false
    /// The limits of the rate of requests.
    var rates = RequestRates()
    /// The way in for the person who has started the server; nil for none.
    var entrance: Entrance?
  }

  /// The routes, in the order of the document.
  let all: [Route]
  /// Finds the callers.
  let gate: any CallerGate
  /// The services that the routes need in the background.
  let services: [any Service]

  /// - Parameters:
  ///   - bulk: the same services on the connections for reports and bulk work.
  ///   - hub: the clients that wait for changes.
  ///   - counting: counts what devices send and ask for.
  init(
    _ services: Services,
    _ records: Records,
    bulk: Services,
    hub: HintHub,
    counting: SyncCounting = SyncCounting(),
    configuration: HTTPConfiguration,
    settings: Settings,
    logger: Logger
  ) {
    let check = CrossSiteCheck(allowedOrigins: Set(configuration.allowedOrigins))
    let answers = SignInAnswers(services, check: check)
    let hasher = PasswordHasher(excluded: settings.excludedPasswords)
    let uses = CredentialUses(services.database)
    let proxies = configuration.trustedProxies
    gate = SessionGate(
      services,
      uses: uses,
      check: check,
      proxy: settings.userHeader.map { header in
        TrustedHeader(user: header, company: settings.companyHeader) { peer in
          IPAddress(peer).map { address in proxies.contains { $0.contains(address) } } ?? false
        }
      }
    )
    self.services = [CredentialUseService(uses: uses, logger: logger)]

    let providers = ProviderRoutes(
      services,
      providers: settings.providers,
      hasher: hasher,
      answers: answers
    ) { provider, error, request in
      logger.notice(
        "sign-in with an identity provider failed",
        metadata: [
          "provider": "\(provider)", "error": "\(error.code.rawValue)", "request": "\(request.text)",
          "reason": "\(error.details["fault"]?.string ?? error.code.rawValue): \(error.message)",
        ]
      )
    }
    let about = AboutSettings(
      version: Version.number,
      signIn: ["password", "guest", "visitor"] + settings.providers.all.map(\.issuer.name)
    )
    var routes: [Route] = []
    // Sign-in and the caller's own account.
    routes += SignInRoutes(services, hasher: hasher, answers: answers).routes
    routes += OwnAccountRoutes(services, hasher: hasher).routes
    routes += OwnCompanyRoutes(services, answers: answers).routes
    routes += OwnTokenRoutes(services).routes
    routes += providers.routes
    routes += OwnIdentityRoutes(services, browser: providers).routes
    routes += SecondFactorRoutes(services, answers: answers).routes
    routes += MailRoutes(services, hasher: hasher).routes
    routes += PreferenceRoutes(services).routes
    // People, their company and its work.
    routes += PeopleRoutes(services, about: about).routes
    routes +=
      WorkRoutes(
        services,
        reports: bulk,
        allowsPrivateWebhooks: settings.allowsPrivateWebhooks
      ).routes
    // Records and their files, and what apps add. The document describes all of them.
    routes += RecordRoutes(services, records).routes
    routes += TypeRoutes(records, names: Console.typeNames).routes
    routes += FileRoutes(services, records).routes
    routes += SyncRoutes(services, records, hub: hub, counting: counting).routes
    routes += CompiledApps.routes(records, services)
    routes += DocumentRoutes(services, describing: routes).routes
    all = routes
  }
}

/// Records when credentials were last used, in the background.
private struct CredentialUseService: Service {
  let uses: CredentialUses
  let logger: Logger

  /// Records uses until graceful shutdown or cancellation.
  func run() async throws {
    await cancelWhenGracefulShutdown {
      await uses.run { error in
        logger.warning("cannot record uses of credentials", metadata: ["error": "\(error)"])
      }
    }
  }
}
