/// The codes of all errors, shared by the command line and the HTTP API.
///
/// Scripts rely on the raw values, which never change after a release.
package enum ErrorCode: String, Sendable, Codable, CaseIterable {
  // Not found.
  case notFound = "not_found"
  case unknownTransition = "unknown_transition"
  case unknownPermission = "unknown_permission"
  case unknownRole = "unknown_role"
  case unknownType = "unknown_type"
  case unknownReport = "unknown_report"
  case unknownJobKind = "unknown_job_kind"
  case noReading = "no_reading"

  // Denied.
  case unauthenticated
  case forbidden
  case fourEyes = "four_eyes"
  case grantExceedsOwn = "grant_exceeds_own"
  case memberOutranks = "member_outranks"
  case notGrantable = "not_grantable"
  case companySuspended = "company_suspended"
  case companyArchived = "company_archived"
  case inviteRefused = "invite_refused"
  case entitlementRequired = "entitlement_required"
  case loginTooPowerful = "login_too_powerful"
  case sessionExpired = "session_expired"
  case signInRefused = "sign_in_refused"
  case signUpRequired = "sign_up_required"
  case deviceRevoked = "device_revoked"
  case crossSiteRequest = "cross_site_request"

  // Conflicts with the current state.
  case wrongState = "wrong_state"
  case stale
  case guardRefused = "guard_refused"
  case transitionDisabled = "transition_disabled"
  case alreadyExists = "already_exists"
  case quotaExceeded = "quota_exceeded"
  case stillReferenced = "still_referenced"
  case parentDeleted = "parent_deleted"
  case lastAdministrator = "last_administrator"
  case lastOwner = "last_owner"
  case idempotencyConflict = "idempotency_conflict"
  case migrationChanged = "migration_changed"
  case migrationMissing = "migration_missing"
  case migrationFailed = "migration_failed"
  case appVersion = "app_version"
  case appInUse = "app_in_use"
  case statesStillUsed = "states_still_used"
  case planHasOpenEntry = "plan_has_open_entry"
  case historyBroken = "history_broken"
  case staleReading = "stale_reading"
  case signInFirst = "sign_in_first"
  case linkExpired = "link_expired"
  case recordDeleted = "record_deleted"
  case deviceCloned = "device_cloned"
  case resyncRequired = "resync_required"

  // Invalid input.
  case invalidInput = "invalid_input"
  case valueTooLong = "value_too_long"
  case missingFields = "missing_fields"
  case unknownFields = "unknown_fields"
  case fieldNotEditable = "field_not_editable"
  case invalidEmail = "invalid_email"
  case invalidName = "invalid_name"
  case invalidSlug = "invalid_slug"
  case invalidID = "invalid_id"
  case invalidDate = "invalid_date"
  case invalidTime = "invalid_time"
  case invalidInstant = "invalid_instant"
  case badTimestamp = "bad_timestamp"
  case invalidDuration = "invalid_duration"
  case invalidTimeZone = "invalid_time_zone"
  case invalidSchedule = "invalid_schedule"
  case invalidNumber = "invalid_number"
  case invalidJSON = "invalid_json"
  case invalidPermission = "invalid_permission"
  case invalidInviteCode = "invalid_invite_code"
  case invalidPassword = "invalid_password"
  case equalTimes = "equal_times"
  case over16Hours = "over_16_hours"
  case guestNameMissing = "guest_name_missing"
  case categoryOfOtherMachine = "category_of_other_machine"
  case futureReading = "future_reading"
  case readingBelowLast = "reading_below_last"
  case overlappingHours = "overlapping_hours"
  case invalidDocument = "invalid_document"
  case unknownKey = "unknown_key"
  case invalidWorkflow = "invalid_workflow"
  case invalidManifest = "invalid_manifest"
  case refusedSQL = "refused_sql"
  case invalidImport = "invalid_import"
  case payloadTooLarge = "payload_too_large"
  case unsupportedMedia = "unsupported_media"
  case methodNotAllowed = "method_not_allowed"
  case malformedRequest = "malformed_request"
  case requestTooLong = "request_too_long"
  case clientOutdated = "client_outdated"

  // Unavailable.
  case unavailable
  case timedOut = "timed_out"
  case rateLimited = "rate_limited"
  case outcomeUnknown = "outcome_unknown"
  case providerUnavailable = "provider_unavailable"

  // Internal.
  case `internal`

  /// The category of the error.
  package var category: ErrorCategory { entry.category }

  /// The meaning of the code as a sentence without a full stop; the default message.
  package var title: String { entry.title }

  /// The default hint: the action that resolves the error, as a sentence.
  package var hint: String { entry.hint }

  private var entry: ErrorCatalogueEntry { ErrorCatalogue.entry(for: self) }
}
