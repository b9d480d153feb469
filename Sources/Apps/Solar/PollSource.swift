internal import Domain

/// Where a site's samples are fetched from, and how the answer calls what is in it: `source_config` of a site that
/// is polled.
///
/// ```json
/// { "url": "https://inverter.example/current_readings", "auth_ref": "gateway",
///   "power": "inverter_reading", "energy": "meter_reading", "time": "timestamp" }
/// ```
package struct PollSource: Sendable, Hashable, Codable {
  /// The address, asked by GET.
  package let url: String
  /// Name of the secret that is sent along; nil for none.
  package let authReference: String?
  /// Member of the answer with the power in kW.
  package let power: String
  /// Member of the answer with what the meter shows in kWh.
  package let energy: String
  /// Member of the answer with the time; an answer without it is of the moment it comes.
  package let time: String

  private enum CodingKeys: String, CodingKey, CaseIterable {
    case url, power, energy, time
    case authReference = "auth_ref"
  }

  /// Reads a configuration; whatever is not known is refused, so that no secret is put there by mistake.
  package init(from decoder: any Decoder) throws {
    let object = try StrictObject(decoder, keys: CodingKeys.allCases.map(\.rawValue))
    url = try object.required("url")
    authReference = try object.optional("auth_ref")
    power = try object.value("power", default: "inverter_reading")
    energy = try object.value("energy", default: "meter_reading")
    time = try object.value("time", default: "timestamp")
    try Endpoint.require(url)
    if let authReference { try Endpoint.require(secret: authReference) }
  }
}
