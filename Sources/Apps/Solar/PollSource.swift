internal import Domain

/// The source of a polled site's samples, stored in `source_config`: the URL, and the names of the members in
/// its response.
///
/// ```json
/// { "url": "https://inverter.example/current_readings", "auth_ref": "gateway",
///   "power": "inverter_reading", "energy": "meter_reading", "time": "timestamp" }
/// ```
package struct PollSource: Sendable, Hashable, Codable {
  /// The URL, fetched by GET.
  package let url: String
  /// Name of the secret sent with the request; nil for none.
  package let authReference: String?
  /// Response member with the power in kW.
  package let power: String
  /// Response member with the meter reading in kWh.
  package let energy: String
  /// Response member with the time; without it, the time of the response is used.
  package let time: String

  private enum CodingKeys: String, CodingKey, CaseIterable {
    case url, power, energy, time
    case authReference = "auth_ref"
  }

  /// Parses a configuration. Unknown keys are refused, so that no secret is stored in it by mistake.
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
