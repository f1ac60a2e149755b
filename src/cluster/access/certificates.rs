//! The certificates of a server: an authority of its own, which vouches for the server alone and
//! whose key is forgotten at once.

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, date_time_ymd,
};

/// As PEM.
pub(super) struct Certificates {
    /// The authority's, which credentials carry.
    pub authority: String,
    /// The server's.
    pub server: String,
    /// The server's secret key.
    pub key: String,
}

/// Makes certificates for a server with these names and addresses.
pub(super) fn make(hosts: &[String]) -> Result<Certificates, rcgen::Error> {
    let mut authority = CertificateParams::new([])?;
    authority.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    authority.key_usages = vec![KeyUsagePurpose::KeyCertSign];
    named(&mut authority, "verdictd cluster");
    let authority_key = KeyPair::generate()?;
    let authority_certificate = authority.self_signed(&authority_key)?;

    let mut server = CertificateParams::new(hosts)?;
    server.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    server.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    server.use_authority_key_identifier_extension = true;
    named(&mut server, "nats-server");
    let key = KeyPair::generate()?;
    let issuer = Issuer::from_params(&authority, &authority_key);
    let server = server.signed_by(&key, &issuer)?;
    Ok(Certificates {
        authority: authority_certificate.pem(),
        server: server.pem(),
        key: key.serialize_pem(),
    })
}

/// One that ran out would stop every worker on one day. Who has to be shut out is removed by name.
fn named(certificate: &mut CertificateParams, name: &str) {
    certificate.not_before = date_time_ymd(2020, 1, 1);
    certificate.not_after = date_time_ymd(2100, 1, 1);
    certificate.distinguished_name = rcgen::DistinguishedName::new();
    let subject = &mut certificate.distinguished_name;
    subject.push(DnType::CommonName, name);
}
