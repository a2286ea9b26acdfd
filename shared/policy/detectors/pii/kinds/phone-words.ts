/** Words that speak for telephone numbers. */
import { wordsOf } from '../words.js';

export const PHONE_WORDS = wordsOf(
  '(tele)?phones?\\b|(tele)?phone[1-9]|tel[1-9]?\\b|telephone|(call|calls|calling|contact)[ :.,;]|cell\\b|cell(ular)? (number|no|nr|num|phone)|cp (no|num)|mobile|cellphone|fax|whats ?app|sms\\b|text(ed)? (me|us|him|her)|dial|hotline|(ring|txt|tx) me|reach (me|us)|landline|call ?back|freephone|freecall|toll[ -]free|mob\\b|ph\\b|voicemail|viber|signal[ :]',
  '(my|his|her) (new |old )?(number|nr|no.)|(contact|cellular|home|work|office|daytime|evening|emergency) (number|nr|no|num)|my no is|msisdn|contact_n(umber|o|r)|contactn(umber|o)|mijn nummer|meine nummer|mon num|mi numero|mi cel|me liga|liga para|meu numero|mio numero|numer telefonu|moj numer|mitt nummer|mit nummer|min nummer|numaram',
  'мой номер|номер телефона|我的号码|号码|電話番号|私の番号|제 번호|내 번호|전화번호|điện thoại|sđt\\b|gọi (tôi|cho|số)|جوال|رقم هاتف|رقمي|নম্বর|नंबर|kontakt\\b|contacto\\b|contatto\\b',
  'telefon|handy|mobil|rufnummer|festnetz|zu erreichen|erreichbar|sdt\\b|anruf|ruf(en)?\\b|telefoon|bel(len)?\\b|gsm\\b|telephone|portable|joindre|appel|telefono|movil|celular|llam|cellulare|chiama|telefone|telemovel|ligar|ligue|puhelin|puh\\b|telefonnummer|mobilnummer|ring\\b|komork|zadzwon|nr tel|cep\\b|ara(yin|yabilir)?( beni)\\b|natel|tlf\\b|soita|nomor (saya|hp|telepon)|simu\\b|selfoon|foon\\b|zap\\b|telp\\b|hp\\b|telepon',
  'телефон|тел|звон|моб|电话|電話|☎|📞|📱|手机|携帯|전화|휴대폰|연락처|โทร|เบอร์|הטלפון|טלפון|הנייד|נייד|טל|نقال|هاتف|فون|تلفن|تلفون|همراه|موبايل|τηλ|κινητο|फ़ोन|फोन|मोबाइल',
);
