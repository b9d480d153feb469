/// The category, title and hint of an error code.
struct ErrorCatalogueEntry {
  let category: ErrorCategory
  let title: String
  let hint: String

  init(_ category: ErrorCategory, _ title: String, hint: String) {
    self.category = category
    self.title = title
    self.hint = hint
  }
}

/// Maps error codes to their categories and texts.
enum ErrorCatalogue {
  /// Returns the entry of a code. A test requires different titles, so only one code can use the default.
  static func entry(for code: ErrorCode) -> ErrorCatalogueEntry {
    switch code {
    case .notFound:
      .init(.notFound, "the named object does not exist", hint: "check the spelling, or list what exists")
    case .unknownTransition:
      .init(
        .notFound,
        "the workflow has no such transition",
        hint: "show the workflow to see its transitions"
      )
    case .unknownPermission:
      .init(.notFound, "no such permission", hint: "list the permissions with `fettle role permissions`")
    case .unknownRole:
      .init(.notFound, "the company has no such role", hint: "list the roles with `fettle role list`")
    case .unknownType:
      .init(.notFound, "no such record type", hint: "list the types with `fettle record types`")
    case .unknownReport:
      .init(.notFound, "no such report", hint: "list the reports with `fettle report list`")
    case .unknownJobKind:
      .init(.notFound, "no handler for this kind of job", hint: "start a worker that handles it")

    case .noReading:
      .init(.notFound, "the site has no reading yet", hint: "add a sample, or check that its gateway sends")

    case .unauthenticated:
      .init(.denied, "nobody is signed in", hint: "sign in, or name a member with --as")
    case .forbidden:
      .init(.denied, "this is not permitted", hint: "ask an administrator of the company for the permission")
    case .fourEyes:
      .init(.denied, "this requires another member", hint: "ask a member who did not do the earlier step")
    case .grantExceedsOwn:
      .init(.denied, "nobody can grant more than they hold", hint: "ask an owner to grant it")
    case .memberOutranks:
      .init(.denied, "this member holds more rights than you", hint: "ask an owner to make the change")
    case .notGrantable:
      .init(
        .denied,
        "a role of a company cannot hold this",
        hint: "leave out the permissions that are named"
      )
    case .companySuspended:
      .init(
        .denied,
        "the company is suspended and can only be read",
        hint: "activate it with `fettle company activate`"
      )
    case .companyArchived:
      .init(.denied, "the company is archived", hint: "activate it with `fettle company activate`")
    case .inviteRefused:
      .init(.denied, "this invite code cannot be redeemed", hint: "ask for a new code")
    case .entitlementRequired:
      .init(.denied, "this requires an entitlement", hint: "grant it with `fettle entitlement grant`")
    case .loginTooPowerful:
      .init(.denied, "this database login has too many rights", hint: "connect as fettle_admin")
    case .sessionExpired:
      .init(
        .denied,
        "the session or token has ended",
        hint: "refresh the access token, sign in again, or create another API token"
      )
    case .signInRefused:
      .init(.denied, "these credentials are not valid", hint: "check them, or reset the password")
    case .signUpRequired:
      .init(.denied, "the demo can only be read", hint: "sign up for a company of your own")
    case .deviceRevoked:
      .init(.denied, "this device was revoked", hint: "register it with a new id, or ask an administrator")
    case .crossSiteRequest:
      .init(
        .denied,
        "the request comes from another site",
        hint: "send the Origin of this server, or the header X-CSRF-Token"
      )

    case .wrongState:
      .init(
        .conflict,
        "the current status does not allow this",
        hint: "check the current status and its transitions"
      )
    case .stale:
      .init(.conflict, "the record was changed in the meantime", hint: "read the record again, then retry")
    case .guardRefused:
      .init(
        .conflict,
        "a condition of the workflow does not hold",
        hint: "try again once this holds"
      )
    case .transitionDisabled:
      .init(
        .conflict,
        "the company has disabled this transition",
        hint: "show the overlay with `fettle workflow overlay show TYPE`"
      )
    case .alreadyExists:
      .init(
        .conflict,
        "the object already exists",
        hint: "choose another name, or change the existing object"
      )
    case .quotaExceeded:
      .init(
        .conflict,
        "the company's record quota is used up",
        hint: "delete records, or ask the operator to raise the quota with `fettle company quota`"
      )
    case .stillReferenced:
      .init(.conflict, "other records refer to this one", hint: "delete or change those records first")
    case .parentDeleted:
      .init(.conflict, "the referenced record is deleted", hint: "restore that record, or choose another")
    case .lastAdministrator:
      .init(.conflict, "a company needs an active owner or admin", hint: "make another member admin first")
    case .lastOwner:
      .init(
        .conflict,
        "a company keeps an active owner",
        hint: "hand it over with `fettle company transfer`, or make another member owner first"
      )
    case .recordDeleted:
      .init(.conflict, "the record has been deleted", hint: "restore the record, or give up the change")
    case .deviceCloned:
      .init(
        .conflict,
        "the device's number was used for another change",
        hint: "register the device again under a new id, because it is a copy of another one"
      )
    case .resyncRequired:
      .init(
        .conflict,
        "the device has to synchronise from the beginning",
        hint: "send again the changes that the server does not know, and pull without a cursor"
      )
    case .idempotencyConflict:
      .init(.conflict, "this key was used for another request", hint: "use a new key for a new request")
    case .migrationChanged:
      .init(
        .conflict,
        "an applied migration was changed",
        hint: "restore the file; put changes in a new one"
      )
    case .migrationFailed:
      .init(.conflict, "a migration failed and was rolled back", hint: "fix the cause, then run it again")
    case .migrationMissing:
      .init(.conflict, "the database is newer or older than this program", hint: "run `fettle migrate`")
    case .appVersion:
      .init(
        .conflict,
        "the version of the app does not follow the installed one",
        hint: "raise version in its manifest with every change"
      )
    case .appInUse:
      .init(
        .conflict,
        "companies still have records of the app",
        hint: "find the companies with `fettle app list`"
      )
    case .statesStillUsed:
      .init(
        .conflict,
        "records are in states that the new version lacks",
        hint: "map them under `migrate:`"
      )
    case .planHasOpenEntry:
      .init(
        .conflict,
        "the plan has an entry that is not done",
        hint: "complete that entry first; `fettle plan show` names the plan"
      )
    case .historyBroken:
      .init(.conflict, "the history does not match its hashes", hint: "compare it with an older backup")

    case .signInFirst:
      .init(
        .conflict,
        "an account with this e-mail address exists already",
        hint: "sign in to it, then link the identity"
      )
    case .linkExpired:
      .init(.conflict, "the link or code is not valid", hint: "request a new one")
    case .staleReading:
      .init(
        .conflict,
        "the newest reading is too old to be recorded",
        hint: "pass the value, or wait for a newer reading"
      )

    case .unavailable:
      .init(
        .unavailable,
        "a part of the installation does not answer",
        hint: "find out which one: `fettle doctor`"
      )
    case .providerUnavailable:
      .init(
        .unavailable,
        "the identity provider does not answer",
        hint: "find out why: `fettle api check-provider`"
      )
    case .rateLimited:
      .init(.unavailable, "too many requests", hint: "wait for the time in Retry-After")
    case .outcomeUnknown:
      .init(
        .unavailable,
        "the outcome of the command is unknown",
        hint: "repeat it with the same Idempotency-Key, or read the record before you repeat it"
      )
    case .timedOut:
      .init(
        .unavailable,
        "the operation took too long",
        hint: "try again; `fettle doctor` shows what is slow"
      )
    case .internal:
      .init(.internal, "a defect in Fettle", hint: "report it with the text above")

    default:
      inputEntry(for: code)
    }
  }

  /// Returns the entry of a code for invalid input.
  private static func inputEntry(for code: ErrorCode) -> ErrorCatalogueEntry {
    let (title, hint): (String, String) =
      switch code {
      case .valueTooLong: ("the value is too long", "shorten it")
      case .missingFields: ("a required value is missing", "add the fields that are named")
      case .unknownFields: ("the type has no such field", "show the type to see its fields")
      case .fieldNotEditable:
        ("this field cannot be edited", "leave it out; the engine or a transition sets it")
      case .invalidEmail: ("this is not an e-mail address", "write it like ana@example.com")
      case .invalidName: ("this name cannot be used", "use 1 to 200 visible characters")
      case .invalidSlug:
        ("this short name cannot be used", "use a-z, 0-9 and single dashes, 2 to 40 of them")
      case .invalidID:
        ("this is neither an id nor the name of a record", "write an id or a name that a list shows")
      case .invalidDate: ("this is not a date", "write it like 2026-03-28")
      case .invalidTime: ("this is not a time of day", "write it like 08:00 or 16:30")
      case .invalidInstant: ("this is not a timestamp", "write it like 2026-03-28T21:00:00Z")
      case .badTimestamp:
        ("this time cannot be correct", "write it like 2026-03-28T21:00:00Z, at most 5 minutes ahead")
      case .invalidDuration: ("this is not a duration", "write it like P7D, PT72H or PT15M")
      case .invalidTimeZone: ("this is not a time zone", "write it like Europe/Stockholm or UTC")
      case .invalidSchedule: ("this is not a cron expression", "write it like 0 5 * * *, daily at 05:00")
      case .invalidNumber: ("this is not a valid number", "write it like 12, or 12.50 with decimals")
      case .invalidJSON: ("this is not valid JSON", "check it where the message says")
      case .invalidPermission:
        (
          "this is not a permission",
          "write it like maintenance.entry.update.own; `fettle role permissions` lists them"
        )
      case .invalidInviteCode: ("the code is mistyped", "compare it with the one you were given")
      case .invalidPassword:
        ("this password cannot be used", "use 12 to 128 characters, such as a sentence of your own")
      case .equalTimes: ("start and end are the same", "give the time at which the work ended")
      case .over16Hours:
        ("one time entry has more than 16 hours", "check start and end; split longer work by day")
      case .guestNameMissing: ("a guest needs a name", "choose a member, or give the guest's name")
      case .categoryOfOtherMachine:
        ("the category belongs to another machine", "choose a base category, or one of this machine")
      case .futureReading: ("the reading, or the work, is in the future", "check the date and the time zone")
      case .readingBelowLast:
        ("the reading is below the previous one", "check the value; pass --reset if the counter was reset")
      case .overlappingHours:
        ("the hours overlap others of the same person", "correct one of the two; each hour is worked once")
      case .invalidDocument: ("the document cannot be read", "correct it at the position in the message")
      case .unknownKey: ("the document has an unknown key", "correct the spelling, or remove the key")
      case .invalidWorkflow: ("the workflow has errors", "correct each listed error")
      case .invalidManifest: ("the app's manifest has errors", "correct each listed error")
      case .refusedSQL:
        ("the app's SQL does more than an app may", "use only tables, views and functions of its schema")
      case .payloadTooLarge: ("the content is too large", "send less than the limit in the message")
      case .unsupportedMedia: ("this kind of content is not accepted", "send one of the accepted types")
      case .methodNotAllowed: ("the path does not accept this method", "use a method of the Allow header")
      case .malformedRequest: ("the request is not valid HTTP", "correct the client, or the server's proxy")
      case .requestTooLong: ("the URL or the header fields are too long", "send fewer or shorter ones")
      case .clientOutdated:
        ("the client is too old for the installed app", "update the client, then synchronise again")
      case .invalidImport:
        ("some lines of the file cannot be imported", "correct the file")
      default: ("the input is not valid", "correct the value that the message names")
      }
    return ErrorCatalogueEntry(.invalid, title, hint: hint)
  }
}
